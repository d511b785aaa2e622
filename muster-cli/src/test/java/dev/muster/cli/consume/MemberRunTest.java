package dev.muster.cli.consume;

import static dev.muster.cli.consume.ScriptedConsumer.partition;
import static dev.muster.cli.consume.ScriptedConsumer.record;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.cli.command.CommandException;
import dev.muster.cli.command.ExitCode;
import dev.muster.cli.command.OutputClosedException;
import dev.muster.cli.command.ProgressLine;
import dev.muster.cli.command.RootCommand;
import dev.muster.cli.command.Session;
import dev.muster.cli.command.TimeLimit;
import dev.muster.cli.text.ByteSink;
import dev.muster.cli.text.RecordWriter;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class MemberRunTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final Session session = Session.of(new ByteArrayInputStream(new byte[0]), out, err);
    private final RootCommand root = new RootCommand(session);
    private final ScriptedConsumer consumer = new ScriptedConsumer();

    private MemberRun run(long count, Duration timeout) {
        return new MemberRun(
                new AssignmentNotes(root, "A"),
                session.stop(),
                new ProgressLine(session, "records", false),
                null,
                count,
                Duration.ofSeconds(5),
                timeout == null ? TimeLimit.none() : TimeLimit.of(timeout.toString(), timeout));
    }

    private Delivery to(OutputStream stream) {
        ByteSink sink = new ByteSink(stream, 1 << 10);
        return new StreamDelivery(sink, RecordWriter.VALUE_LINES, () -> {}, consumer::ack);
    }

    private String err() {
        return err.toString(StandardCharsets.UTF_8);
    }

    @Test
    void recordsBeyondTheCountAreNotWrittenOrAcknowledged() {
        consumer.returning(List.of(record("t", 0, 0, "a"), record("t", 0, 1, "b"), record("t", 0, 2, "c")));
        run(2, null).work(consumer, to(out));
        assertThat(out).hasToString("a\nb\n");
        assertThat(consumer.acknowledged).containsExactly("t-0@0", "t-0@1");
    }

    @Test
    void theSignalWakesAndEndsThePoll() {
        consumer.returning(List.of(record("t", 0, 0, "a"))).doing(session.stop()::raise);
        run(Long.MAX_VALUE, null).work(consumer, to(out));
        assertThat(consumer.wakeups).isEqualTo(1);
        assertThat(consumer.acknowledged).containsExactly("t-0@0");
    }

    @Test
    void afterABrokenPipeOnlyWrittenRecordsAreAcknowledged() {
        consumer.returning(List.of(record("t", 0, 0, "a"))).returning(List.of(record("t", 0, 1, "b")));
        OutputStream breaks = new OutputStream() {
            @Override
            public void write(int b) {
                throw new AssertionError("written in blocks");
            }

            @Override
            public void write(byte[] bytes, int from, int length) throws IOException {
                if (bytes[from] == 'b') {
                    throw new IOException("Broken pipe");
                }
            }
        };
        MemberRun run = run(Long.MAX_VALUE, null);
        assertThatThrownBy(() -> run.work(consumer, to(breaks))).isInstanceOf(OutputClosedException.class);
        assertThat(consumer.acknowledged).containsExactly("t-0@0");
    }

    @Test
    void aTimeoutIsReportedAfterAnOrderlyEnd() {
        consumer.returning(List.of(record("t", 0, 0, "a")));
        MemberRun run = run(2, Duration.ofNanos(1));
        assertThatThrownBy(() -> run.work(consumer, to(out)))
                .isInstanceOfSatisfying(
                        CommandException.class, e -> assertThat(e.exitCode()).isEqualTo(ExitCode.TIMED_OUT));
    }

    @Test
    void assignmentChangesAreReportedAsSentences() {
        MemberRun run = run(0, null);
        run.work(consumer, to(out));
        run.assigned(1, Set.of(partition("t", 0), partition("t", 1), partition("t", 2), partition("u", 7)));
        run.revoked(2, Set.of(partition("t", 2)));
        run.lost(5, Set.of(partition("t", 0), partition("t", 1)));
        assertThat(err()).isEqualTo("""
            A got t 0-2; u 7 (generation 1)
            A released t 2 (generation 2)
            A lost t 0-1 (generation 5): it was removed from the group, and joins again
            """);
    }

    @Test
    void assignmentChangesAreObjectsWithJson() {
        new CommandLine(root).parseArgs("-o", "jsonl");
        MemberRun run = run(0, null);
        run.work(consumer, to(out));
        run.assigned(3, Set.of(partition("t", 1), partition("t", 0)));
        run.revoked(4, Set.of(partition("t", 0)));
        run.lost(5, Set.of(partition("t", 1)));
        assertThat(err().replaceAll("\"at\":\\d{13,}", "\"at\":1")).isEqualTo("""
            {"event":"assigned","generation":3,"partitions":[{"topic":"t","partition":0},{"topic":"t","partition":1}],"at":1}
            {"event":"revoked","generation":4,"partitions":[{"topic":"t","partition":0}],"at":1}
            {"event":"lost","generation":5,"partitions":[{"topic":"t","partition":1}],"at":1}
            """);
    }

    @Test
    void handedRecordsAreWrittenBeforePartitionsAreRevoked() {
        MemberRun run = run(Long.MAX_VALUE, null);
        Delivery delivery = to(out);
        consumer.doing(() -> {
            delivery.hand(record("t", 0, 0, "in hand"));
            run.revoked(2, Set.of(partition("t", 0)));
            assertThat(consumer.acknowledged).containsExactly("t-0@0");
            session.stop().raise();
        });
        run.work(consumer, delivery);
        assertThat(out).hasToString("in hand\n");
    }
}
