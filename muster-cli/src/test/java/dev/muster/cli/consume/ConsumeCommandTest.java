package dev.muster.cli.consume;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.cli.Cli;
import dev.muster.cli.Main;
import dev.muster.cli.command.StopSignal;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(value = 5, unit = TimeUnit.MINUTES)
class ConsumeCommandTest {
    private final Cli cli = Cli.inMemory();

    @AfterEach
    void close() {
        cli.close();
    }

    /** Records a to e, at offsets 0 to 4 and timestamps 1000 to 5000. */
    private void fiveRecords() {
        for (int i = 0; i < 5; i++) {
            cli.runWith((char) ('a' + i) + "\n", "produce", "t", "--timestamp", "@" + (i + 1) * 1000);
        }
    }

    /** The reader once was beyond its end at once: nothing was written, and the exit code said that all was read. */
    @ParameterizedTest
    @ValueSource(strings = {"--from 6 --exit", "--from 99999 --exit", "--from 99 --to 100", "--from 6 -n 1"})
    void anOffsetBeyondTheEndIsRefused(String options) {
        fiveRecords();
        Cli.Result result = cli.run(("consume t " + options).split(" "));
        assertThat(result.exitCode()).isEqualTo(4);
        assertThat(result.err()).contains("of t-0 is out of range: the log holds 0 to 5");
        assertThat(result.out()).isEmpty();
    }

    @Test
    void theEndItselfIsAccepted() {
        fiveRecords();
        assertThat(cli.run("consume", "t", "--from", "5", "--exit").exitCode()).isZero();
    }

    @Test
    void aTimeoutIsReportedInTheUsersSpelling() {
        fiveRecords();
        Cli.Result result = cli.run("consume", "t", "--from", "end", "--timeout", "0m20ms");
        assertThat(result.exitCode()).isEqualTo(5);
        assertThat(result.err()).startsWith("muster: no more records within 0m20ms\n");
        Cli.Result waiting = cli.run("consume", "nope", "--wait", "-q", "--timeout", "20ms");
        assertThat(waiting.err()).isEqualTo("muster: not all topics were created within 20ms\n");
    }

    @ParameterizedTest
    @CsvSource({
        "--exit,abcde",
        "--from start --exit,abcde",
        "--from end --exit,''",
        "--from 3 --exit,de",
        "--from -2 --exit,de",
        "--from -0 --exit,''",
        "--from -99 --exit,abcde",
        "--from @3000 --exit,cde",
        "--from @2500 --exit,cde",
        "--from @9000 --exit,''",
        "--from 1970-01-01T00:00:04Z --exit,de",
        "--from -1h --exit,''",
        "--to 2,ab",
        "--to end,abcde",
        "--to -1,abcd",
        "--to @3000,ab",
        "--from 1 --to 3,bc",
        "--from 3 --to 1,''",
        "--to 99 --exit,abcde",
        "-n 2,ab",
        "-n 0,''",
        "-n 99 --exit,abcde",
        "--from 1 -n 2,bc",
        "--tail 2 --exit,de",
        "--tail=2 --exit,de",
        "--tail 99 --exit,abcde",
        "--tail 0 --exit,''",
        "--tail --exit,abcde",
        "-p 0 --exit,abcde"
    })
    void rangesAreGivenByOffsetsCountsOrTimes(String options, String expected) {
        fiveRecords();
        Cli.Result result = cli.run(("consume t -f %s " + options).split(" "));
        assertThat(result.err()).isEmpty();
        assertThat(result.exitCode()).isZero();
        assertThat(result.out()).isEqualTo(expected);
    }

    @Test
    void tailMayStandBeforeTheTopic() {
        fiveRecords();
        assertThat(cli.run("consume", "--tail", "t", "--exit", "-f", "%s").out())
                .isEqualTo("abcde");
        assertThat(cli.run("consume", "--tail", "2", "t", "--exit", "-f", "%s").out())
                .isEqualTo("de");
    }

    @Test
    void theTailCountsAllPartitionsTogether() {
        cli.run("topic", "create", "many", "-P", "3");
        for (int i = 0; i < 9; i++) {
            cli.runWith(i + "\n", "produce", "many", "-p", String.valueOf(i % 3), "--timestamp", "@" + (i + 1));
        }
        assertThat(cli.run("consume", "many", "--tail", "4", "--exit", "-f", "%s")
                        .out())
                .isEqualTo("5678");
    }

    @Test
    void partitionsAndSeveralTopicsCanBeChosen() {
        cli.run("topic", "create", "x", "-P", "3");
        for (int i = 0; i < 3; i++) {
            cli.runWith("x" + i + "\n", "produce", "x", "-p", String.valueOf(i));
        }
        cli.runWith("y\n", "produce", "y");
        assertThat(cli.run("consume", "x", "--exit", "-p", "1").out()).isEqualTo("x1\n");
        assertThat(cli.run("consume", "x", "--exit", "-p", "0,2").lines()).containsExactlyInAnyOrder("x0", "x2");
        assertThat(cli.run("consume", "x", "y", "--exit", "-f", "%t:%s\\n").lines())
                .containsExactlyInAnyOrder("x:x0", "x:x1", "x:x2", "y:y");
        assertThat(cli.run("consume", "x", "--exit", "-p", "3").exitCode()).isEqualTo(3);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--from=middle",
                "--to=5x",
                "-p=-1",
                "-p=x",
                "-n=-1",
                "-n=x",
                "-o=table",
                "-f=%q",
                "--timeout=x",
                "--tail=x",
                "--to=2999-01-01",
                "--tail=3 --from=1",
                "--tail=3 --to=1",
                "-f=%s -o=json",
                "t"
            })
    void aBadOptionIsAUsageError(String option) {
        fiveRecords();
        Cli.Result result = cli.run(("consume t --exit " + option).split(" "));
        assertThat(result.exitCode()).isEqualTo(2);
        assertThat(result.outBytes()).isEmpty();
    }

    @Test
    void anOffsetBeyondTheEndIsRefused() {
        fiveRecords();
        assertThat(cli.run("consume", "t", "--from", "6").exitCode()).isEqualTo(4);
    }

    @Test
    void trimmedRecordsAreSkippedWithANote() {
        fiveRecords();
        cli.run("topic", "trim", "t", "-p", "0", "--before", "3");
        Cli.Result result = cli.run("consume", "t", "--from", "1", "--exit", "-f", "%s");
        assertThat(result.exitCode()).isZero();
        assertThat(result.out()).isEqualTo("de");
        assertThat(result.err()).contains("offsets 1 to 2 of t-0");
    }

    @Test
    void aMissingTopicIsAnErrorWithoutWait() {
        Cli.Result result = cli.run("consume", "none");
        assertThat(result.exitCode()).isEqualTo(3);
        assertThat(result.err()).startsWith("muster: there is no topic \"none\"\ntry: ");
    }

    @Test
    void withWaitAMissingTopicIsAwaited() throws Exception {
        var session = cli.session(
                new ByteArrayInputStream(new byte[0]),
                new ByteArrayOutputStream(),
                new ByteArrayOutputStream(),
                new StopSignal());
        CompletableFuture<Integer> exit =
                CompletableFuture.supplyAsync(() -> Main.run(session, "consume", "late", "--wait", "-n", "1"));
        cli.runWith("a\n", "produce", "late");
        assertThat(exit.get()).isZero();
        assertThat(session.out()).hasToString("a\n");
        assertThat(cli.run("consume", "never", "--wait", "--timeout", "10ms").exitCode())
                .isEqualTo(5);
    }

    @Test
    void missingRecordsEndInATimeout() {
        fiveRecords();
        Cli.Result result = cli.run("consume", "t", "-n", "6", "--timeout", "50ms");
        assertThat(result.exitCode()).isEqualTo(5);
        assertThat(result.lines()).hasSize(5);
    }

    @Test
    void newRecordsAreWrittenUntilTheSignal() throws Exception {
        fiveRecords();
        PipedInputStream output = new PipedInputStream();
        StopSignal stop = new StopSignal();
        var session = cli.session(
                new ByteArrayInputStream(new byte[0]),
                new PipedOutputStream(output),
                new ByteArrayOutputStream(),
                stop);
        CompletableFuture<Integer> exit =
                CompletableFuture.supplyAsync(() -> Main.run(session, "consume", "t", "--tail", "1"));
        assertThat(line(output)).isEqualTo("e");
        for (int i = 0; i < 3; i++) {
            cli.runWith("new " + i + "\n", "produce", "t");
            assertThat(line(output)).isEqualTo("new " + i);
        }
        stop.raise();
        assertThat(exit.get()).isEqualTo(130);
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            assertThat(c).isNotEqualTo(-1);
            line.append((char) c);
        }
        return line.toString();
    }

    @Test
    void aClosedOutputEndsTheCommandWithoutAnError() {
        fiveRecords();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        OutputStream closed = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException("Broken pipe");
            }
        };
        int exit = Main.run(
                cli.session(new ByteArrayInputStream(new byte[0]), closed, err, new StopSignal()), "consume", "t");
        assertThat(exit).isZero();
        assertThat(err.size()).isZero();
    }

    @Test
    void anInterruptedThreadEndsTheCommand() {
        fiveRecords();
        Thread.currentThread().interrupt();
        assertThat(cli.run("consume", "t").exitCode()).isEqualTo(130);
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void jsonIsAnArrayOrLines() {
        fiveRecords();
        assertThat(cli.run("consume", "t", "--exit", "-o", "json").json())
                .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.LIST)
                .hasSize(5);
        assertThat(cli.run("consume", "t", "--from", "end", "--exit", "-o", "json")
                        .json())
                .isEqualTo(List.of());
        assertThat(cli.run("consume", "t", "-n", "1", "-o", "jsonl").out())
                .isEqualTo(
                        "{\"topic\":\"t\",\"partition\":0,\"offset\":0,\"timestamp\":1000,\"key\":null,\"value\":\"a\",\"headers\":[]}\n");
    }
}
