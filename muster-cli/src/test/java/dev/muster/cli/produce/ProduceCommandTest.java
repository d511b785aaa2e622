package dev.muster.cli.produce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.cli.Cli;
import dev.muster.cli.Main;
import dev.muster.cli.command.StopSignal;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(value = 5, unit = TimeUnit.MINUTES)
class ProduceCommandTest {
    private static final String ALL = "%p|%k|%s|%S|%h\\n";

    @TempDir
    Path temp;

    private final Cli cli = Cli.inMemory();

    @AfterEach
    void close() {
        cli.close();
    }

    private String consumed(String topic) {
        return cli.run("consume", topic, "--exit", "-f", ALL).out();
    }

    @Test
    void everyLineIsARecordAndTheTopicIsCreated() {
        Cli.Result result = cli.runWith("a\n\nlast", "produce", "t");
        assertThat(result.exitCode()).isZero();
        assertThat(result.outBytes()).isEmpty();
        assertThat(result.err()).startsWith("3 records acknowledged by topic t in ");
        assertThat(consumed("t")).isEqualTo("0||a|1|\n0|||0|\n0||last|4|\n");
    }

    @Test
    void linesAreKeptAsBytes() {
        byte[] line = {(byte) 0xff, 0, '\r', (byte) 0x80, '\n'};
        cli.run(line, "produce", "t");
        assertThat(cli.run("consume", "t", "--exit").outBytes()).isEqualTo(line);
    }

    @Test
    void keysAreFromTheLineOrFromTheOption() {
        cli.runWith("k1:v1:x\nplain\n:v3\nk4:\n", "produce", "t", "-K", ":", "-k", "default");
        assertThat(consumed("t")).isEqualTo("0|k1|v1:x|4|\n0|default|plain|5|\n0||v3|2|\n0|k4||0|\n");
    }

    @Test
    void aSeparatorMayBeAnEscapeOrSeveralBytes() {
        cli.runWith("a\t\tb\tc\n", "produce", "t", "-K", "\\t\\x09");
        assertThat(consumed("t")).isEqualTo("0|a|b\tc|3|\n");
    }

    @Test
    void headersTombstonesPartitionsAndTimesAreOptions() {
        cli.run("topic", "create", "t", "-P", "3");
        cli.runWith(
                "k=\n",
                "produce",
                "t",
                "-K",
                "=",
                "-Z",
                "-H",
                "a=1",
                "-H",
                "b",
                "-H",
                "a=x=y",
                "-p",
                "2",
                "--timestamp",
                "@42");
        assertThat(consumed("t")).isEqualTo("2|k||-1|a=1,b=,a=x=y\n");
        assertThat(cli.run("consume", "t", "--exit", "-f", "%T").out()).isEqualTo("42");
    }

    @Test
    void filesAreReadOneAfterTheOther() throws IOException {
        Path one = Files.writeString(temp.resolve("one"), "1a\n1b");
        Path two = Files.writeString(temp.resolve("two"), "2\n");
        cli.runWith("stdin\n", "produce", "t", one.toString(), "-", two.toString());
        assertThat(cli.run("consume", "t", "--exit").out()).isEqualTo("1a\n1b\nstdin\n2\n");
    }

    @Test
    void aMissingFileIsFoundBeforeTheFirstRecord() throws IOException {
        Path one = Files.writeString(temp.resolve("one"), "1\n");
        Cli.Result result =
                cli.run("produce", "t", one.toString(), temp.resolve("none").toString());
        assertThat(result.exitCode()).isEqualTo(3);
        assertThat(result.err()).contains("there is no file " + temp.resolve("none"));
        assertThat(cli.run("topic", "list", "-o", "name").out()).isEmpty();
        Cli.Result folder = cli.run("produce", "t", temp.toString());
        assertThat(folder.exitCode()).isEqualTo(2);
        assertThat(folder.err()).contains(temp + " is a directory, not a file");
    }

    @Test
    void rawMakesOneRecordOfEachInput() throws IOException {
        Path file = Files.write(temp.resolve("blob"), new byte[] {1, '\n', 2, '\n'});
        cli.run("produce", "t", "--in", "raw", file.toString());
        assertThat(cli.run("consume", "t", "--exit", "-f", "%s").outBytes()).isEqualTo(new byte[] {1, '\n', 2, '\n'});
    }

    @Test
    void eachAcknowledgedRecordIsALineOfJson() {
        Cli.Result result = cli.runWith("a\nb\n", "produce", "t", "-o", "jsonl", "--timestamp", "@9");
        assertThat(result.lines())
                .containsExactly(
                        "{\"topic\":\"t\",\"partition\":0,\"offset\":0,\"timestamp\":9}",
                        "{\"topic\":\"t\",\"partition\":0,\"offset\":1,\"timestamp\":9}");
        assertThat(result.err()).isEmpty();
    }

    @Test
    void theSummaryCanBeJson() {
        assertThat(cli.runWith("a\nb\n", "produce", "t", "-o", "json").json())
                .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.MAP)
                .containsEntry("topic", "t")
                .containsEntry("acknowledged", 2L);
    }

    @Test
    void aLineIsAcknowledgedBeforeTheNextComes() throws Exception {
        PipedOutputStream keyboard = new PipedOutputStream();
        PipedInputStream acknowledged = new PipedInputStream();
        StopSignal stop = new StopSignal();
        var session = cli.session(
                new PipedInputStream(keyboard), new PipedOutputStream(acknowledged), new ByteArrayOutputStream(), stop);
        CompletableFuture<Integer> exit =
                CompletableFuture.supplyAsync(() -> Main.run(session, "produce", "t", "-o", "jsonl"));
        for (int i = 0; i < 3; i++) {
            keyboard.write(("line " + i + "\n").getBytes(StandardCharsets.UTF_8));
            keyboard.flush();
            assertThat(line(acknowledged)).contains("\"offset\":" + i + ",");
        }
        keyboard.close();
        assertThat(exit.get()).isZero();
    }

    @Test
    void afterASignalAllReadRecordsAreAcknowledged() throws Exception {
        PipedOutputStream keyboard = new PipedOutputStream();
        PipedInputStream acknowledged = new PipedInputStream();
        StopSignal stop = new StopSignal();
        var session = cli.session(
                new PipedInputStream(keyboard), new PipedOutputStream(acknowledged), new ByteArrayOutputStream(), stop);
        CompletableFuture<Integer> exit =
                CompletableFuture.supplyAsync(() -> Main.run(session, "produce", "t", "-o", "jsonl"));
        keyboard.write("whole\nhalf a li".getBytes(StandardCharsets.UTF_8));
        keyboard.flush();
        assertThat(line(acknowledged)).contains("\"offset\":0,");
        stop.raise();
        assertThat(exit.get()).isEqualTo(130);
        assertThat(cli.run("consume", "t", "--exit").out()).isEqualTo("whole\n");
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
    void sendingStopsWhenStdoutIsClosed() {
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        OutputStream closed = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException("Broken pipe");
            }
        };
        InputStream endless = new InputStream() {
            @Override
            public int read() {
                return '\n';
            }
        };
        int exit = Main.run(cli.session(endless, closed, err, new StopSignal()), "produce", "t", "-o", "jsonl");
        assertThat(exit).isEqualTo(1);
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("stdout was closed");
    }

    @Test
    void anInputErrorLosesNoEarlierRecords() {
        InputStream breaking = new InputStream() {
            private int left = 4;

            @Override
            public int read() throws IOException {
                if (left-- == 0) {
                    throw new IOException("the cable is out");
                }
                return left % 2 == 0 ? '\n' : 'x';
            }

            @Override
            public int read(byte[] into, int from, int length) throws IOException {
                into[from] = (byte) read();
                return 1;
            }
        };
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int exit = Main.run(cli.session(breaking, new ByteArrayOutputStream(), err, new StopSignal()), "produce", "t");
        assertThat(exit).isEqualTo(1);
        assertThat(err.toString(StandardCharsets.UTF_8))
                .contains("2 records acknowledged")
                .contains("the cable is out");
        assertThat(cli.run("consume", "t", "--exit").out()).isEqualTo("x\nx\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"value\":1}", "not json", "{\"value\":\"x\"", "{\"value\":\"x\",\"partition\":7}"})
    void aBadLineOfJsonIsNamedAndLosesNoEarlierRecords(String bad) {
        cli.run("topic", "create", "t", "-P", "2");
        Cli.Result result = cli.runWith(
                "{\"value\":\"a\"}\n\n{\"value\":\"b\"}\n" + bad + "\n{\"value\":\"c\"}\n",
                "produce",
                "t",
                "--in",
                "jsonl",
                "--keep-partitions",
                "-o",
                "jsonl");
        assertThat(result.exitCode()).isIn(1, 3);
        assertThat(result.err()).contains("line 4: ");
        assertThat(result.lines()).hasSize(2);
        assertThat(cli.run("consume", "t", "--exit").lines()).containsExactlyInAnyOrder("a", "b");
    }

    @Test
    void aTooLargeRecordIsNamedByItsLine() {
        cli.run("topic", "create", "t", "--set", "max.message.bytes=1000");
        Cli.Result result = cli.runWith("a\n" + "x".repeat(2000) + "\nb\n", "produce", "t", "-o", "jsonl");
        assertThat(result.exitCode()).isEqualTo(4);
        assertThat(result.errJson().get("message").toString()).startsWith("line 2: ");
        assertThat(result.lines()).hasSize(1);
    }

    @Test
    void aTimestampOutOfRangeIsRefused() {
        Cli.Result result = cli.runWith("a\n", "produce", "t", "--timestamp", "@" + Long.MAX_VALUE);
        assertThat(result.exitCode()).isEqualTo(4);
        assertThat(result.err()).contains("line 1: ").contains("outside the range that topic \"t\" allows");
        assertThat(consumed("t")).isEmpty();
    }

    @Test
    void theLargestTimestampsAreShown() {
        cli.run("topic", "create", "t", "--set", "message.timestamp.after.max.ms=" + Long.MAX_VALUE);
        assertThat(cli.runWith("a\n", "produce", "t", "--timestamp", "@" + Long.MAX_VALUE)
                        .exitCode())
                .isZero();
        assertThat(cli.run("consume", "t", "--exit", "-f", "%T").out()).isEqualTo("" + Long.MAX_VALUE);
        assertThat(cli.run("consume", "t", "--exit", "-o", "jsonl").out()).contains("\"timestamp\":" + Long.MAX_VALUE);
        assertThat(cli.run("consume", "t", "--from", "@" + Long.MAX_VALUE, "--exit")
                        .out())
                .isEqualTo("a\n");
        assertThat(cli.run("topic", "describe", "t").exitCode()).isZero();
    }

    @Test
    void anUnknownPartitionIsRefusedBeforeInputIsRead() {
        cli.run("topic", "create", "t", "-P", "2");
        Cli.Result result = cli.runWith("a\n", "produce", "t", "-p", "2");
        assertThat(result.exitCode()).isEqualTo(3);
        assertThat(result.err()).contains("partition 2");
        assertThat(consumed("t")).isEmpty();
    }

    @Test
    void aTopicThatDiffersFromTheOptionsIsNotChanged() {
        cli.runWith("a\n", "produce", "t", "--sync", "os", "--partitions", "2");
        assertThat(cli.runWith("b\n", "produce", "t", "--sync", "os", "--partitions", "2")
                        .exitCode())
                .isZero();
        Cli.Result sync = cli.runWith("c\n", "produce", "t", "--sync", "commit");
        assertThat(sync.exitCode()).isEqualTo(4);
        assertThat(sync.err()).contains("sync=os").contains("muster topic alter t --set muster.sync=commit");
        assertThat(cli.runWith("c\n", "produce", "t", "--partitions", "3").exitCode())
                .isEqualTo(4);
        assertThat(cli.run("consume", "t", "--exit").lines()).containsExactlyInAnyOrder("a", "b");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--sync=never",
                "--compression=zip",
                "-p=x",
                "--partitions=0",
                "--timestamp=soon",
                "-K=",
                "-H==x",
                "--keep-partitions",
                "-K=\\q",
                "--rate=0/s"
            })
    void aBadOptionIsAUsageError(String option) {
        Cli.Result result = cli.runWith("a\n", "produce", "t", option);
        assertThat(result.exitCode()).isEqualTo(2);
        assertThat(result.err()).startsWith("muster: ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "gzip", "snappy", "lz4", "zstd"})
    void everyCompressionReadsBack(String kind) {
        String text = "hello ".repeat(100);
        assertThat(cli.runWith(text, "produce", "t", "--compression", kind).exitCode())
                .isZero();
        assertThat(cli.run("consume", "t", "--exit").out()).isEqualTo(text + "\n");
    }

    @Test
    void theRateLimitsTheSender() {
        long start = System.nanoTime();
        cli.runWith("a\nb\nc\nd\ne\n", "produce", "t", "--rate", "50/s");
        assertThat(System.nanoTime() - start).isGreaterThan(75_000_000L);
        assertThat(cli.run("consume", "t", "--exit").lines()).hasSize(5);
    }
}
