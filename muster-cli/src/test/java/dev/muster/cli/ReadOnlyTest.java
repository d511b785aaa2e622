package dev.muster.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code --read-only}: commands that read work, commands that write are refused, and no file changes. */
class ReadOnlyTest {
    @TempDir
    Path data;

    private Cli cli;

    @BeforeEach
    void aTopicWithARecordAndAGroup() {
        cli = Cli.onDirectory(data);
        cli.runWith("a\n", "produce", "orders");
        cli.run("consume", "orders", "-g", "billing", "--exit");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "topic list",
                "topic describe orders",
                "consume orders --exit",
                "group list",
                "group describe billing",
                "group members billing",
                "group lag billing",
                "group timeline billing",
                "group explain billing orders:0",
                "group reset billing --to-earliest",
                "check",
            })
    void readingWorksAndChangesNoFile(String command) throws IOException {
        Map<Path, String> before = files();
        Cli.Result result = cli.run((command + " --read-only --data " + data).split(" "));
        assertThat(result.exitCode()).as(result.err()).isZero();
        assertThat(files()).isEqualTo(before);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "produce orders",
                "produce other",
                "topic create other",
                "topic alter orders --set retention.ms=1000",
                "topic add-partitions orders -P 3",
                "topic trim orders -p 0 --before 1",
                "topic delete orders --yes",
                "consume orders -g billing --exit",
                "group reset billing --to-earliest --execute",
                "group expect billing 3",
                "group delete billing --yes",
                "serve --listen localhost:0",
                "check --repair",
                "restore backups other",
                "bench append",
            })
    void commandsThatWriteAreRefusedAndChangeNoFile(String command) throws IOException {
        Map<Path, String> before = files();
        Cli.Result result = cli.runWith("b\n", (command + " --read-only --data " + data).split(" "));
        assertThat(result.exitCode()).as(result.err()).isEqualTo(4);
        assertThat(result.err()).contains("read-only");
        assertThat(files()).isEqualTo(before);
    }

    @Test
    void theEnvironmentVariableForbidsWritingToo() {
        cli.withEnvironment(Map.of("MUSTER_READ_ONLY", "1"));
        assertThat(cli.runWith("b\n", "produce", "orders").exitCode()).isEqualTo(4);
        assertThat(cli.run("consume", "orders", "--exit").out()).isEqualTo("a\n");
        cli.withEnvironment(Map.of("MUSTER_READ_ONLY", "0"));
        assertThat(cli.runWith("b\n", "produce", "orders").exitCode()).isZero();
    }

    @Test
    void aMissingDirectoryIsNotCreated() {
        Path missing = data.resolve("missing");
        Cli.Result result = Cli.onDirectory(missing).runWith("b\n", "produce", "orders", "--read-only");
        assertThat(result.exitCode()).isEqualTo(3);
        assertThat(missing).doesNotExist();
    }

    /** Every file with its content. */
    private Map<Path, String> files() throws IOException {
        Map<Path, String> files = new TreeMap<>();
        try (Stream<Path> all = Files.walk(data)) {
            for (Path file : all.filter(Files::isRegularFile).toList()) {
                files.put(file, new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1));
            }
        }
        return files;
    }
}
