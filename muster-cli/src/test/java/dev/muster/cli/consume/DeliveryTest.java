package dev.muster.cli.consume;

import static dev.muster.cli.consume.ScriptedConsumer.record;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.cli.command.CommandException;
import dev.muster.cli.command.ExitCode;
import dev.muster.cli.command.OutputClosedException;
import dev.muster.cli.command.RootCommand;
import dev.muster.cli.command.Session;
import dev.muster.cli.text.ByteSink;
import dev.muster.cli.text.JsonRecordWriter;
import dev.muster.cli.text.RecordWriter;
import dev.muster.embedded.Received;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The moment at which a record has arrived, for each destination. Only arrived records may be committed. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class DeliveryTest {
    @TempDir
    Path temp;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final Session session = Session.of(new ByteArrayInputStream(new byte[0]), out, err);
    private final RootCommand root = new RootCommand(session);
    private final List<Long> arrived = new ArrayList<>();
    private final CountDownLatch exited = new CountDownLatch(1);
    private Delivery delivery;

    private void arrive(Received<byte[], byte[]> record) {
        arrived.add(record.offset());
    }

    // stdout

    private Delivery stream(OutputStream to) {
        ByteSink sink = new ByteSink(to, 1 << 10);
        delivery = new StreamDelivery(sink, RecordWriter.VALUE_LINES, () -> {}, this::arrive);
        return delivery;
    }

    @Test
    void aRecordOnStdoutHasArrivedWhenItIsFlushed() {
        stream(out).hand(record("t", 0, 7, "a"));
        assertThat(arrived).isEmpty();
        assertThat(out.size()).isZero();
        delivery.look();
        assertThat(arrived).containsExactly(7L);
        assertThat(out).hasToString("a\n");
    }

    @Test
    void recordsInABrokenPipeHaveNotArrived() {
        OutputStream breaks = new OutputStream() {
            private int taken;

            @Override
            public void write(int b) throws IOException {
                throw new AssertionError("written in blocks");
            }

            @Override
            public void write(byte[] bytes, int from, int length) throws IOException {
                taken += length;
                if (taken > 2) {
                    throw new IOException("Broken pipe");
                }
            }
        };
        stream(breaks).hand(record("t", 0, 7, "a"));
        delivery.look();
        delivery.hand(record("t", 0, 8, "b"));
        assertThatThrownBy(delivery::look).isInstanceOf(OutputClosedException.class);
        assertThat(arrived).containsExactly(7L);
    }

    // a stream to a command

    private PipeDelivery pipe(String script) {
        ChildCommand command = new ChildCommand(session, List.of("sh", "-c", script));
        PipeDelivery pipe =
                new PipeDelivery(command, RecordWriter.VALUE_LINES, session.stop(), exited::countDown, this::arrive);
        delivery = pipe;
        return pipe;
    }

    @Test
    void afterExitCode0AllRecordsHaveArrived() {
        pipe("cat").hand(record("t", 0, 0, "a"));
        delivery.hand(record("t", 0, 1, "b"));
        delivery.finish();
        delivery.close();
        assertThat(arrived).containsExactly(0L, 1L);
        assertThat(out).hasToString("a\nb\n");
    }

    @Test
    void aRecordArrivesWhenTheCommandHasReadIt() throws IOException {
        // A shell reads a line from a pipe byte by byte, so the second line stays in the pipe.
        Path go = temp.resolve("go");
        pipe("read line; until [ -e " + go + " ]; do sleep 0.01; done; cat").hand(record("t", 0, 0, "first"));
        delivery.hand(record("t", 0, 1, "second"));
        while (arrived.isEmpty()) {
            delivery.look();
            Thread.onSpinWait();
        }
        delivery.look();
        assertThat(arrived).containsExactly(0L);
        Files.createFile(go);
        settleUntilArrived(2);
        assertThat(arrived).containsExactly(0L, 1L);
        delivery.close();
    }

    @Test
    void settleWaitsUntilTheCommandHasReadTheRecords() {
        pipe("cat > /dev/null").hand(record("t", 0, 0, "a"));
        settleUntilArrived(1);
        assertThat(arrived).containsExactly(0L);
    }

    /**
     * Settles several times: one call waits for some seconds only, in which a busy machine may not even start the
     * command.
     */
    private void settleUntilArrived(int count) {
        do {
            delivery.settle();
        } while (arrived.size() < count && !delivery.isOver());
    }

    @Test
    void recordsThatAFailedCommandDidNotReadHaveNotArrived() throws Exception {
        pipe("read line; exit 3").hand(record("t", 0, 0, "first"));
        delivery.hand(record("t", 0, 1, "second"));
        delivery.look();
        assertThat(exited.await(2, TimeUnit.MINUTES)).isTrue();
        delivery.settle();
        assertThat(delivery.isOver()).isTrue();
        assertThat(arrived).doesNotContain(1L);
        assertThatThrownBy(delivery::close).isInstanceOfSatisfying(CommandException.class, e -> {
            assertThat(e.exitCode()).isEqualTo(ExitCode.FAILED);
            assertThat(e).hasMessage("sh ended with 3; the records it had not read are not committed");
        });
    }

    @Test
    void aLateFailureCommitsOnlyRecordsThatWereRead() {
        pipe("read line; cat > /dev/null; exit 1").hand(record("t", 0, 0, "first"));
        settleUntilArrived(1);
        delivery.hand(record("t", 0, 1, "second"));
        delivery.finish();
        assertThat(arrived).startsWith(0L);
        assertThatThrownBy(delivery::close).hasMessageContaining("ended with 1");
    }

    @Test
    void aCommandThatCannotBeStartedIsNamed() {
        ChildCommand command = new ChildCommand(session, List.of("no-such-command-anywhere"));
        assertThatThrownBy(() -> command.start(java.util.Map.of()))
                .isInstanceOfSatisfying(
                        CommandException.class, e -> assertThat(e.exitCode()).isEqualTo(ExitCode.NOT_FOUND))
                .hasMessage("cannot start no-such-command-anywhere: No such file or directory");
    }

    // a command for each record

    private Delivery each(int retries, RecordWriter writer, String script) {
        ChildCommand command = new ChildCommand(session, List.of("sh", "-c", script));
        delivery = new EachDelivery(root, command, writer, retries, this::arrive);
        return delivery;
    }

    @Test
    void eachCommandGetsTheValueAndItsPosition() {
        each(0, RecordWriter.VALUE, "echo $MUSTER_TOPIC $MUSTER_PARTITION $MUSTER_OFFSET ${MUSTER_KEY-none} $(cat)")
                .hand(record("t", 2, 7, "three apples"));
        delivery.hand(new Received<>(
                "t", 2, 8, 0, "k".getBytes(StandardCharsets.UTF_8), "x".getBytes(StandardCharsets.UTF_8), List.of()));
        assertThat(out).hasToString("t 2 7 none three apples\nt 2 8 k x\n");
        assertThat(arrived).containsExactly(7L, 8L);
    }

    @Test
    void eachCommandCanGetTheRecordAsJson() {
        each(0, new JsonRecordWriter(), "cat").hand(record("t", 2, 7, "a"));
        assertThat(out.toString(StandardCharsets.UTF_8)).startsWith("{\"topic\":\"t\",\"partition\":2,\"offset\":7,");
    }

    @Test
    void aTombstoneDiffersFromAnEmptyValue() {
        each(0, RecordWriter.VALUE, "echo ${MUSTER_TOMBSTONE-no} $(wc -c)").hand(record("t", 0, 0, null));
        delivery.hand(record("t", 0, 1, ""));
        assertThat(out.toString(StandardCharsets.UTF_8).replaceAll(" +", " ")).isEqualTo("1 0\nno 0\n");
    }

    @Test
    void aCommandNeedNotReadItsInput() {
        each(0, RecordWriter.VALUE, "exit 0").hand(record("t", 0, 0, "x".repeat(1 << 20)));
        assertThat(arrived).containsExactly(0L);
    }

    @Test
    void aFailedCommandIsRetriedUpToTheLimit() throws IOException {
        Path tries = temp.resolve("tries");
        each(2, RecordWriter.VALUE, "echo x >> " + tries + "; [ $(wc -l < " + tries + ") -ge 3 ]")
                .hand(record("t", 0, 0, "a"));
        assertThat(arrived).containsExactly(0L);
        assertThat(Files.readAllLines(tries)).hasSize(3);
        assertThat(err).hasToString("""
            muster: sh ended with 1 for t-0 at offset 0; trying again in 100 ms
            muster: sh ended with 1 for t-0 at offset 0; trying again in 200 ms
            """);
        each(1, RecordWriter.VALUE, "exit 9");
        assertThatThrownBy(() -> delivery.hand(record("t", 0, 5, "b")))
                .isInstanceOf(CommandException.class)
                .hasMessage("sh ended with 9 for t-0 at offset 5, tried 2 times; the record is not committed");
        assertThat(arrived).containsExactly(0L);
    }

    @Test
    void aSignalEndsTheWaitBeforeARetry() {
        each(50, RecordWriter.VALUE, "exit 9");
        session.stop().raise();
        delivery.hand(record("t", 0, 5, "b"));
        assertThat(delivery.isOver()).isTrue();
        assertThat(arrived).isEmpty();
    }
}
