package dev.muster.it.trouble;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.muster.core.CompressionKind;
import dev.muster.embedded.Muster;
import dev.muster.embedded.Producer;
import dev.muster.kafka.api.LogLimit;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Behaviour of the command that only a real process shows: users, permissions, streams. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class CommandLineTrialIT {
    private static final int NOBODY = 65534;

    @TempDir
    Path temp;

    /**
     * A command that is subject to permissions. Root without these capabilities is: it may not read what belongs to
     * another user, and still reads the program below its home. Needs root to change the owner of files.
     */
    private static MusterCommand withoutPrivileges(Path data) throws IOException, InterruptedException {
        assumeTrue("root".equals(System.getProperty("user.name")), "needs root to give files to another user");
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/setpriv")), "needs setpriv");
        String[] setpriv = {"setpriv", "--bounding-set=-dac_override,-dac_read_search", "--"};
        List<String> probe = new ArrayList<>(List.of(setpriv));
        probe.add("true");
        assumeTrue(new ProcessBuilder(probe).start().waitFor() == 0, "root may not give capabilities up here");
        return MusterCommand.on(data).under(setpriv);
    }

    /** Gives a folder to another user, and access to this user only. */
    private static void giveAway(Path folder) throws IOException {
        Files.setAttribute(folder, "unix:uid", NOBODY);
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
    }

    /**
     * Earlier, lines of {@code java.util.logging} mixed with a command's own output, even with {@code -q -o jsonl}, and
     * again for each bad request of a client.
     */
    @Test
    void theLogIsPlainAndLimitedAndRespectsQuietAndJson() throws IOException, InterruptedException {
        assertThat(logOfBadRequests())
                .filteredOn(line -> line.contains("closing the connection"))
                .hasSize(LogLimit.LINES_PER_MINUTE)
                .allMatch(line -> line.matches("\\d{4}-\\d\\d-\\d\\d [0-9:.]{12} warning: .*"));
        assertThat(logOfBadRequests("-o", "json"))
                .filteredOn(line -> line.contains("closing the connection"))
                .hasSize(LogLimit.LINES_PER_MINUTE)
                .allMatch(line -> line.startsWith("{\"event\":\"log\",\"level\":\"warning\"") && line.endsWith("}"));
        assertThat(logOfBadRequests("-q", "-o", "jsonl")).isEmpty();
    }

    /** The stderr of a server after forty requests of an invalid length. */
    private List<String> logOfBadRequests(String... options) throws IOException, InterruptedException {
        List<String> words = new ArrayList<>(List.of("serve", "--listen", "127.0.0.1:0"));
        words.addAll(List.of(options));
        try (MusterCommand.Running server =
                MusterCommand.on(temp.resolve("data")).start(words.toArray(String[]::new))) {
            int port = listeningPort(server);
            for (int i = 0; i < 40; i++) {
                try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                    socket.setSoTimeout(60_000);
                    socket.getOutputStream().write(new byte[] {-1, -1, -1, -1});
                    assertThat(socket.getInputStream().read()).isEqualTo(-1);
                }
            }
            return server.terminate().err();
        }
    }

    /** Earlier, each refusal of a client that connects repeatedly wrote a line. */
    @Test
    void refusedConnectionsAreLoggedWithALimit() throws IOException, InterruptedException {
        try (MusterCommand.Running server = MusterCommand.on(temp.resolve("data"))
                .start("serve", "--listen", "127.0.0.1:0", "--set", "max.connections=1")) {
            int port = listeningPort(server);
            try (Socket _ = new Socket(InetAddress.getLoopbackAddress(), port)) {
                for (int i = 0; i < 40; i++) {
                    try (Socket refused = new Socket(InetAddress.getLoopbackAddress(), port)) {
                        refused.setSoTimeout(60_000);
                        assertThat(refused.getInputStream().read()).isEqualTo(-1);
                    }
                }
            }
            assertThat(server.terminate().err())
                    .filteredOn(line -> line.contains("refusing a connection"))
                    .hasSize(LogLimit.LINES_PER_MINUTE);
        }
    }

    private static int listeningPort(MusterCommand.Running server) throws InterruptedException {
        Pattern address = Pattern.compile("127\\.0\\.0\\.1:([0-9]+)");
        Matcher found =
                address.matcher(server.out().await(line -> address.matcher(line).find()));
        assertThat(found.find()).isTrue();
        return Integer.parseInt(found.group(1));
    }

    /**
     * Earlier, the directory got the mode of its parent folder, so even with umask 077 every user could read the
     * records.
     */
    @ParameterizedTest
    @CsvSource({"077,rwx------,rw-------", "027,rwxr-x---,rw-r-----", "002,rwxrwxr-x,rw-rw-r--"})
    void theUmaskDecidesTheModeOfANewDirectory(String umask, String folders, String files)
            throws IOException, InterruptedException {
        Files.setPosixFilePermissions(temp, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path data = temp.resolve("above/data");
        withUmask(umask, data).runWithInput("secret\n", "produce", "t");
        withUmask(umask, data).run("consume", "t", "-g", "g", "--exit");
        assertModes(data, folders, files);
        assertThat(data.getParent()).satisfies(above -> assertThat(mode(above)).isEqualTo(folders));
    }

    /** Users share a directory by its mode: a umask must not remove the group's rights. */
    @Test
    void inAGroupWritableDirectoryTheModeIsInherited() throws IOException, InterruptedException {
        Path data = Files.createDirectory(temp.resolve("data"));
        Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwxrwx---"));
        withUmask("077", data).runWithInput("shared\n", "produce", "t");
        assertModes(data, "rwxrwx---", "rw-rw----");
    }

    /** For example a service with umask 077, and a directory that an installer created with mode 755. */
    @Test
    void inAReadOnlyDirectoryForOthersTheUmaskApplies() throws IOException, InterruptedException {
        Path data = Files.createDirectory(temp.resolve("data"));
        Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwxr-xr-x"));
        withUmask("077", data).runWithInput("secret\n", "produce", "t");
        withUmask("077", data).run("consume", "t", "-g", "g", "--exit");
        assertThat(mode(data)).isEqualTo("rwxr-xr-x");
        try (Stream<Path> all = Files.walk(data).skip(1)) {
            assertThat(all)
                    .hasSizeGreaterThan(5)
                    .allSatisfy(each ->
                            assertThat(mode(each)).isEqualTo(Files.isDirectory(each) ? "rwx------" : "rw-------"));
        }
    }

    private static MusterCommand withUmask(String umask, Path data) {
        return MusterCommand.on(data).under("sh", "-c", "umask " + umask + "; exec \"$@\"", "sh");
    }

    private static void assertModes(Path data, String folders, String files) throws IOException {
        try (Stream<Path> all = Files.walk(data)) {
            assertThat(all)
                    .hasSizeGreaterThan(5)
                    .allSatisfy(each -> assertThat(mode(each)).isEqualTo(Files.isDirectory(each) ? folders : files));
        }
    }

    private static String mode(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }

    /** Earlier, the command, with a heap of 256 MiB here, ended with "this is a bug". */
    @Test
    void aDecompressionBombIsReportedWithItsOffset() throws IOException, InterruptedException {
        Path data = temp.resolve("data");
        try (Muster muster = Muster.open(data)) {
            muster.topics().ensure("t", topic -> topic.set("max.message.bytes", "104857600"));
            try (Producer<byte[], byte[]> producer = muster.producer("t")
                    .compression(CompressionKind.ZSTD)
                    .bufferBytes(300 << 20)
                    .open()) {
                producer.send(null, new byte[70 << 20]).join();
            }
        }
        MusterCommand.Result result = MusterCommand.on(data).run("consume", "t", "--exit");
        assertThat(result.exit()).isEqualTo(1);
        assertThat(result.errors())
                .contains("record batch at offset 0 unpacks to more than ", "-Xmx")
                .doesNotContain("bug");
    }

    /** Earlier, a killed process left the native library of each compression in the temporary folder. */
    @ParameterizedTest
    @ValueSource(strings = {"tmp", "link"})
    void aKilledProcessLeavesNoLibraryInTheTemporaryFolder(String name) throws IOException, InterruptedException {
        Path data = temp.resolve("data");
        Path folder = Files.createDirectory(temp.resolve("tmp"));
        Files.createSymbolicLink(temp.resolve("link"), folder);
        MusterCommand muster =
                MusterCommand.on(data).with("JAVA_TOOL_OPTIONS", "-Djava.io.tmpdir=" + temp.resolve(name));
        for (String kind : List.of("zstd", "snappy", "lz4")) {
            try (MusterCommand.Running producer = muster.start("produce", "t", "--compression", kind, "-o", "jsonl")) {
                producer.type("a line");
                producer.out().await(line -> line.contains("offset"));
                producer.signal("KILL");
            }
        }
        assertThat(folder).isEmptyDirectory();
        assertThat(muster.run("consume", "t", "--exit").out()).hasSize(3);
        assertThat(folder).isEmptyDirectory();
    }

    /** Earlier, the error was "not a data directory", which misled users. */
    @Test
    void anUnreadableDirectoryIsPermissionDenied() throws IOException, InterruptedException {
        Path data = temp.resolve("data");
        MusterCommand.on(data).runWithInput("a\n", "produce", "t");
        giveAway(data);
        for (String command : new String[] {
            "topic list",
            "check",
            "produce t",
            "backup " + temp.resolve("backups"),
            "restore " + data + " " + temp.resolve("restored"),
            "serve --listen 127.0.0.1:0"
        }) {
            assertDenied(data, data, command);
        }
        giveAway(temp);
        assertThat(withoutPrivileges(data).run("topic", "list").errors()).contains("permission denied: " + data);
    }

    /** Earlier, the commands reported a read-only directory, or a topic without partitions. */
    @ParameterizedTest
    @ValueSource(strings = {"topics", "logs"})
    void anUnreadableFolderIsPermissionDenied(String folder) throws IOException, InterruptedException {
        Path data = temp.resolve("data");
        MusterCommand.on(data).runWithInput("a\n", "produce", "t");
        giveAway(data.resolve(folder));
        for (String command : new String[] {"topic list", "topic describe t", "consume t --exit", "check"}) {
            assertDenied(data, data.resolve(folder), command);
        }
    }

    private static void assertDenied(Path data, Path denied, String command) throws IOException, InterruptedException {
        MusterCommand.Result result = withoutPrivileges(data).run(command.split(" "));
        assertThat(result.exit()).as(command + ": " + result.errors()).isEqualTo(4);
        assertThat(result.errors())
                .contains("permission denied: " + denied)
                .doesNotContain("not a data directory", "read-only");
    }

    @Test
    void anUnreadableFileIsPermissionDenied() throws IOException, InterruptedException {
        Path file = Files.writeString(temp.resolve("lines"), "a\n");
        Files.setAttribute(file, "unix:uid", NOBODY);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        MusterCommand.Result result = withoutPrivileges(temp.resolve("data")).run("produce", "t", file.toString());
        assertThat(result.exit()).as(result.errors()).isEqualTo(4);
        assertThat(result.errors()).contains("permission denied: " + file);
    }
}
