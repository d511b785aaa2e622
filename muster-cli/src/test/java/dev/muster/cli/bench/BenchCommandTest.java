package dev.muster.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.cli.command.CommandException;
import dev.muster.cli.command.Opener;
import dev.muster.cli.command.RootCommand;
import dev.muster.cli.command.Session;
import dev.muster.core.json.Json;
import dev.muster.embedded.Muster;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.ParseResult;

@Timeout(300)
class BenchCommandTest {
    @TempDir
    Path temp;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private Session session = Session.of(InputStream.nullInputStream(), out, out);

    /** The command as part of the tree. */
    private String run(String... args) throws Exception {
        RootCommand root = new RootCommand(session);
        CommandLine line = new CommandLine(root);
        line.addSubcommand("bench", new BenchCommand(root).grow(List.of(args)));
        ParseResult deepest = line.parseArgs(args);
        while (deepest.hasSubcommand()) {
            deepest = deepest.subcommand();
        }
        ((Callable<?>) deepest.commandSpec().userObject()).call();
        return out.toString(StandardCharsets.UTF_8);
    }

    @SuppressWarnings("unchecked")
    private Map<String, Object> json(String... args) throws Exception {
        return (Map<String, Object>) Json.parse(run(args));
    }

    @Test
    void appendPrintsRateAndPercentiles() throws Exception {
        String text = run("bench", "append", "--records", "2000", "--senders", "2", "--data", temp.toString());
        assertThat(text)
                .contains("append 100 B at sync=os, 2 senders")
                .contains("2,000 records in")
                .contains("records/s")
                .containsPattern("acknowledged after: p50 .* p99.9 .* max")
                .contains("█");
    }

    @Test
    void appendInJsonHasTheSettingsAndTheFigures() throws Exception {
        Map<String, Object> result = json(
                "bench", "append", "-n", "5", "--sync", "commit", "--wait", "--data", temp.toString(), "-o", "json");
        assertThat(result)
                .containsEntry("bench", "append")
                .containsEntry("records", 5L)
                .containsEntry("sync", "commit")
                .containsEntry("latencyCount", 5L)
                .containsKeys("recordsPerSecond", "bytesPerSecond", "latencyMicros");
    }

    @Test
    void readCountsAllRecords() throws Exception {
        assertThat(json("bench", "read", "-n", "3000", "--size", "1024", "--data", temp.toString(), "-o", "json"))
                .containsEntry("bench", "read")
                .containsEntry("records", 3000L);
    }

    @Test
    void latencyLeavesOutTheFirstFifth() throws Exception {
        assertThat(json("bench", "latency", "-n", "100", "--data", temp.toString(), "-o", "json"))
                .containsEntry("bench", "latency")
                .containsEntry("latencyCount", 80L);
    }

    @Test
    void theTopicOfTheMeasurementIsDeleted() throws Exception {
        try (Muster muster = Muster.open(temp)) {
            muster.topics().create("orders", 1);
        }
        run("bench", "append", "-n", "10", "--data", temp.toString());
        try (Muster muster = Muster.open(temp)) {
            assertThat(muster.topics().list())
                    .extracting(topic -> topic.name().value())
                    .containsExactly("orders");
        }
    }

    @Test
    void withoutDataATemporaryDirectoryIsUsed() throws Exception {
        List<Path> opened = new ArrayList<>();
        Opener watched = (directory, options) -> {
            opened.add(directory);
            return Opener.DIRECTORY.open(directory, options);
        };
        session = new Session(
                session.in(),
                out,
                out,
                name -> "MUSTER_DATA".equals(name) ? temp.toString() : null,
                session.terminal(),
                watched,
                session.stop(),
                session.clock(),
                false);
        run("bench", "append", "-n", "10");
        assertThat(opened).hasSize(1).doesNotContain(temp);
        assertThat(opened.getFirst()).doesNotExist();
        assertThat(temp).isEmptyDirectory();
    }

    @Test
    void anInterruptedMeasurementHasNoResult() {
        session.stop().raise();
        assertThatThrownBy(() -> run("bench", "append", "--data", temp.toString()))
                .isInstanceOf(CommandException.class)
                .hasMessage("interrupted");
    }

    @Test
    void invalidOptionsAreRefusedBeforeATopicIsCreated() {
        Path missing = temp.resolve("missing");
        for (List<String> wrong : List.of(
                List.of("--size", "15"),
                List.of("--sync", "never"),
                List.of("--records", "0"),
                List.of("--senders", "0"),
                List.of("--batch", "1"))) {
            assertThatThrownBy(() -> run("bench", "append", "--data", missing.toString(), wrong.get(0), wrong.get(1)))
                    .as("%s", wrong)
                    .isInstanceOf(CommandException.class);
        }
        assertThat(missing).doesNotExist();
    }
}
