package dev.muster.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.muster.core.json.Json;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The commands on real files, through the entry point of scripts. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class DirectoryTest {
    @TempDir
    Path temp;

    private Path data;

    @BeforeEach
    void nameADirectoryThatIsNotThere() {
        data = temp.resolve("data");
    }

    private Cli.Result run(byte[] input, String... args) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        String[] all = Stream.concat(Stream.of(args), Stream.of("--data", data.toString()))
                .toArray(String[]::new);
        int exitCode = Main.run(all, new ByteArrayInputStream(input), out, err);
        return new Cli.Result(exitCode, out.toByteArray(), err.toString(StandardCharsets.UTF_8));
    }

    private Cli.Result run(String... args) {
        return run(new byte[0], args);
    }

    private void produce(String topic, String... lines) {
        for (String line : lines) {
            assertThat(run((line + "\n").getBytes(StandardCharsets.UTF_8), "produce", topic)
                            .exitCode())
                    .isZero();
        }
    }

    @Test
    void aFileInPlaceOfADirectoryIsNamedAndLeftAlone() throws IOException {
        Path file = Files.writeString(temp.resolve("notes.txt"), "mine\n");
        for (Path each : List.of(file, file.resolve("below"))) {
            data = each;
            for (String command : List.of("produce orders", "topic create orders", "serve --listen 127.0.0.1:0")) {
                Cli.Result result = run(command.split(" "));
                assertThat(result.exitCode()).as(command).isEqualTo(4);
                assertThat(result.err())
                        .contains("cannot keep data in " + each + ": " + file + " is a file")
                        .contains("try: name a directory")
                        .doesNotContain(".tmp");
            }
        }
        data = file;
        assertThat(run("topic", "list").err()).contains(file + " is a file, not a data directory");
        assertThat(file).hasContent("mine\n");
    }

    @Test
    void anImpossibleDirectoryIsNamed() {
        data = Path.of("/proc/no-such-place");
        assumeThat(data.getParent()).isDirectory();
        Cli.Result result = run("produce", "orders");
        assertThat(result.exitCode()).isEqualTo(4);
        assertThat(result.err())
                .contains("cannot keep data in " + data + ": no directory can be made there")
                .contains("try: name a directory");
    }

    @Test
    void recordsOfOneCommandAreReadByTheNext() {
        assertThat(run("hello\nworld".getBytes(StandardCharsets.UTF_8), "produce", "greetings")
                        .exitCode())
                .isZero();
        assertThat(run("consume", "greetings", "--exit").out()).isEqualTo("hello\nworld\n");
        assertThat(run("topic", "list", "-o", "name").out()).isEqualTo("greetings\n");
        assertThat(run("topic", "delete", "greetings", "--yes").exitCode()).isZero();
        assertThat(run("consume", "greetings").exitCode()).isEqualTo(3);
    }

    /** The reader once skipped the damage, reached the end, and waited there for records. */
    @Test
    void consumeExitEndsWhereTheLastRecordsAreMissing() throws IOException {
        produce("orders", "a", "b");
        try (Stream<Path> files = Files.walk(data.resolve("logs"))) {
            for (Path segment :
                    files.filter(file -> file.toString().endsWith(".log")).toList()) {
                Files.delete(segment);
            }
        }
        Cli.Result result = run("consume", "orders", "--exit");
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.out()).isEmpty();
        assertThat(result.err()).contains("the segment file is missing; offsets 0 to 1 cannot be read");
    }

    @Test
    void manyRandomLinesAreReadUnchanged() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        byte[] input = new byte[2_000_000];
        random.nextBytes(input);
        input[input.length - 1] = '\n';
        assertThat(run(input, "produce", "t", "--sync", "os").exitCode()).isZero();
        assertThat(run("consume", "t", "--exit").outBytes()).as("seed %d", seed).isEqualTo(input);
    }

    @Test
    void everyLineIsAcknowledgedOnceAndInOrder() {
        byte[] input = "line\n".repeat(50_000).getBytes(StandardCharsets.UTF_8);
        run("topic", "create", "t", "-P", "3");
        List<String> lines = run(input, "produce", "t", "-o", "jsonl").lines();
        assertThat(lines).hasSize(50_000);
        long[] next = new long[3];
        for (String line : lines) {
            Map<?, ?> ack = (Map<?, ?>) Json.parse(line);
            int partition = ((Long) ack.get("partition")).intValue();
            assertThat(ack.get("offset")).isEqualTo(next[partition]++);
        }
    }

    @Test
    void aDirectoryWithoutItsMarkGetsAHintToRepairIt() throws IOException {
        assertThat(run("topic", "create", "t").exitCode()).isZero();
        Files.delete(data.resolve("muster.json"));
        for (String[] words :
                new String[][] {{"topic", "list"}, {"topic", "create", "u"}, {"backup", data + "-copy"}}) {
            Cli.Result refused = run(words);
            assertThat(refused.exitCode()).as(refused.err()).isEqualTo(4);
            assertThat(refused.err()).contains("lost its muster.json", "muster check " + data + " --repair");
        }
        run("check", data.toString(), "--repair");
        assertThat(run("topic", "list", "-o", "name").out()).isEqualTo("t\n");
    }

    @Test
    void readersRefuseAnEmptyOrForeignDirectory() throws IOException {
        Files.createDirectory(data);
        Cli.Result empty = run("topic", "list");
        assertThat(empty.exitCode()).isEqualTo(3);
        assertThat(empty.err()).contains("is not a data directory");
        assertThat(data).isEmptyDirectory();
        Files.writeString(data.resolve("thesis.txt"), "important");
        assertThat(run("consume", "t").exitCode()).isEqualTo(3);
        assertThat(run("check").exitCode()).isEqualTo(3);
        assertThat(run("topic", "create", "t").exitCode()).isEqualTo(4);
        try (Stream<Path> files = Files.list(data)) {
            assertThat(files).containsExactly(data.resolve("thesis.txt"));
        }
    }

    @Test
    void damageIsNamedAndSkippedWithExitCode1() throws IOException {
        produce("t", "before", "damaged", "behind");
        Path log = logFile();
        byte[] bytes = Files.readAllBytes(log);
        int at = indexOf(bytes, "damaged".getBytes(StandardCharsets.UTF_8));
        bytes[at] ^= 1;
        Files.write(log, bytes);
        Cli.Result read = run("consume", "t", "--exit");
        assertThat(read.out()).isEqualTo("before\nbehind\n");
        assertThat(read.err())
                .contains(log.getFileName().toString())
                .contains("offsets 1 to 1")
                .contains("going on at offset 2");
        assertThat(read.exitCode()).isEqualTo(1);
        Cli.Result check = run("check", "-o", "json");
        assertThat(check.exitCode()).isEqualTo(1);
        assertThat(((Map<?, ?>) check.json()).get("findings"))
                .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.list(Map.class))
                .singleElement()
                .satisfies(finding -> {
                    assertThat(finding.get("severity")).isEqualTo("damage");
                    assertThat(finding.get("partition")).isEqualTo("t-0");
                    assertThat(finding.get("offset")).isEqualTo(1L);
                });
        assertThat(run("check").out()).contains("SEVERITY", "damage");
    }

    @Test
    void checkOfACleanDirectoryReportsNoDamage() {
        produce("t", "a", "b");
        Cli.Result check = run("check");
        assertThat(check.exitCode()).isZero();
        assertThat(check.outBytes()).isEmpty();
        assertThat(check.err()).contains("2 records").contains("all is well");
        assertThat(Main.run(
                        new String[] {"check", data.toString(), "-q"},
                        null,
                        new ByteArrayOutputStream(),
                        new ByteArrayOutputStream()))
                .isZero();
    }

    private Path logFile() throws IOException {
        try (Stream<Path> files = Files.walk(data)) {
            return files.filter(file -> file.toString().endsWith(".log"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private static int indexOf(byte[] bytes, byte[] wanted) {
        for (int at = 0; at + wanted.length <= bytes.length; at++) {
            if (java.util.Arrays.equals(bytes, at, at + wanted.length, wanted, 0, wanted.length)) {
                return at;
            }
        }
        throw new AssertionError("not in the file");
    }
}
