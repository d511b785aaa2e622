package dev.muster.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.cli.Main;
import dev.muster.cli.command.Session;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Scanner;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 5, unit = TimeUnit.MINUTES)
class ServeCommandTest {
    @TempDir
    private Path folder;

    private final ByteArrayOutputStream notes = new ByteArrayOutputStream();

    @Test
    void theServerReportsItsAddressAndEndsAfterTheSignal() throws Exception {
        Path pidFile = folder.resolve("pid");
        try (PipedInputStream out = new PipedInputStream()) {
            Session session = session(new PipedOutputStream(out));
            var running = start(session, "--listen", "127.0.0.1:0", "--pid-file", pidFile.toString());
            String ready = new Scanner(out, StandardCharsets.UTF_8).nextLine();
            assertThat(ready).startsWith("ready: Kafka clients find ").contains(" at 127.0.0.1:");
            assertThat(Files.readString(pidFile).strip())
                    .isEqualTo(Long.toString(ProcessHandle.current().pid()));
            int port = Integer.parseInt(ready.replaceFirst(".*127\\.0\\.0\\.1:(\\d+) .*", "$1"));
            try (Socket client = new Socket()) {
                client.setSoTimeout(30_000);
                client.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 5_000);
                askForVersions(client);
                session.stop().raise();
                assertThat(running.get()).isZero();
                assertThat(client.getInputStream().read())
                        .as("the server hung up")
                        .isEqualTo(-1);
            }
            assertThat(pidFile).doesNotExist();
        }
    }

    /** An answer proves that the server accepted the connection. One that still waits to be accepted is reset. */
    private static void askForVersions(Socket client) throws IOException {
        var request = new DataOutputStream(client.getOutputStream());
        request.writeInt(10);
        request.writeShort(18);
        request.writeShort(0);
        request.writeInt(7);
        request.writeShort(-1);
        var answer = new DataInputStream(client.getInputStream());
        byte[] body = answer.readNBytes(answer.readInt());
        assertThat(ByteBuffer.wrap(body).getInt()).as("correlation id").isEqualTo(7);
    }

    @Test
    void aLocalAddressIsReportedWithAHint() throws Exception {
        try (PipedInputStream out = new PipedInputStream()) {
            Session session = session(new PipedOutputStream(out));
            var running = start(session, "--listen", "0.0.0.0:0", "-o", "json");
            String ready = new Scanner(out, StandardCharsets.UTF_8).nextLine();
            assertThat(ready).contains("\"listens\":\"0.0.0.0:").contains("\"advertised\":\"localhost:");
            session.stop().raise();
            assertThat(running.get()).isZero();
            assertThat(notes.toString(StandardCharsets.UTF_8)).contains("--advertise");
        }
    }

    @Test
    void anOpenServerIsWarnedOfOnce() throws Exception {
        assertThat(notesAfterStart("--listen", "127.0.0.1:0")).doesNotContain("warning");
        assertThat(notesAfterStart("--listen", "0.0.0.0:0"))
                .containsOnlyOnce("warning: every client that reaches 0.0.0.0:")
                .contains("sasl.enabled.mechanisms");
        assertThat(notesAfterStart(withUsers("SCRAM-SHA-256"))).doesNotContain("warning");
        assertThat(notesAfterStart(withUsers("PLAIN,SCRAM-SHA-256"))).contains("warning: with PLAIN");
    }

    private String[] withUsers(String mechanisms) throws IOException {
        Path users = Files.writeString(folder.resolve("users"), "alice:secret\n");
        Files.setPosixFilePermissions(users, PosixFilePermissions.fromString("rw-------"));
        return new String[] {
            "--listen",
            "0.0.0.0:0",
            "--advertise",
            "localhost:0",
            "--set",
            "sasl.enabled.mechanisms=" + mechanisms,
            "--set",
            "muster.sasl.users.file=" + users
        };
    }

    private String notesAfterStart(String... options) throws Exception {
        notes.reset();
        try (PipedInputStream out = new PipedInputStream()) {
            Session session = session(new PipedOutputStream(out));
            var running = start(session, options);
            new Scanner(out, StandardCharsets.UTF_8).nextLine();
            session.stop().raise();
            assertThat(running.get()).isZero();
        }
        return notes.toString(StandardCharsets.UTF_8);
    }

    @Test
    void aCredentialDoesNotContainThePassword() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        assertThat(credential(out, "secret\n", "alice")).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8))
                .matches("alice:SCRAM-SHA-256\\$4096:[^$:]+\\$[^:]+:[^:]+\n")
                .doesNotContain("secret");
        out.reset();
        assertThat(credential(out, "secret\n", "alice", "--mechanism", "SCRAM-SHA-512"))
                .isZero();
        assertThat(out.toString(StandardCharsets.UTF_8)).startsWith("alice:SCRAM-SHA-512$");
        assertThat(credential(out, "", "alice")).isEqualTo(1);
        assertThat(credential(out, "secret\n", "a:b")).isEqualTo(2);
        assertThat(credential(out, "secret\n", "alice", "--mechanism", "PLAIN")).isEqualTo(2);
    }

    private int credential(OutputStream out, String input, String... options) {
        List<String> words = new ArrayList<>(List.of("credential"));
        words.addAll(List.of(options));
        return Main.run(
                Session.of(new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)), out, notes),
                words.toArray(String[]::new));
    }

    @Test
    void anUnknownSettingIsRefusedWithASuggestion() {
        assertThat(run("--listen", "127.0.0.1:0", "--set", "num.partition=3")).isEqualTo(2);
        assertThat(notes.toString(StandardCharsets.UTF_8)).contains("did you mean num.partitions?");
        assertThat(folder.resolve("data")).doesNotExist();
    }

    @Test
    void optionsOverrideTheSettingsFile() throws IOException {
        Path file = folder.resolve("server.properties");
        Files.writeString(file, "num.partitions = 3\nauto.create.topics.enable=false\n");
        var config = ServeSettings.read(file, List.of("num.partitions=5"));
        assertThat(config.partitions()).isEqualTo(5);
        assertThat(config.createsTopics()).isFalse();
        Files.writeString(file, "num.partitions = many\n");
        assertThat(run("--config", file.toString())).isEqualTo(2);
        assertThat(notes.toString(StandardCharsets.UTF_8)).contains("num.partitions must be a whole number");
    }

    @Test
    void anInvalidPortIsRefused() {
        assertThat(run("--listen", "localhost:kafka")).isEqualTo(2);
        assertThat(notes.toString(StandardCharsets.UTF_8)).contains("localhost:9092");
    }

    private Session session(OutputStream out) {
        return Session.of(InputStream.nullInputStream(), out, notes);
    }

    private int run(String... options) {
        return Main.run(session(OutputStream.nullOutputStream()), words(options));
    }

    private CompletableFuture<Integer> start(Session session, String... options) {
        return CompletableFuture.supplyAsync(() -> Main.run(session, words(options)));
    }

    private String[] words(String... options) {
        List<String> words = new ArrayList<>(
                List.of("serve", "--data", folder.resolve("data").toString()));
        words.addAll(List.of(options));
        return words.toArray(String[]::new);
    }
}
