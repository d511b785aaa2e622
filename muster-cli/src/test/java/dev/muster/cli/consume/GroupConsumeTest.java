package dev.muster.cli.consume;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.cli.Cli;
import dev.muster.cli.Main;
import dev.muster.cli.command.StopSignal;
import dev.muster.core.json.Json;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code consume -g}, run as a command on a directory. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class GroupConsumeTest {
    @TempDir
    Path temp;

    private Cli cli;

    @org.junit.jupiter.api.BeforeEach
    void open() {
        cli = Cli.onDirectory(temp.resolve("data"));
    }

    private void orders(int partitions, int records) {
        cli.run("topic", "create", "orders", "-P", String.valueOf(partitions));
        for (int i = 0; i < records; i++) {
            cli.runWith(i + "\n", "produce", "orders", "-p", String.valueOf(i % partitions), "-q");
        }
    }

    private Cli.Result consume(String options) {
        return cli.run(("consume orders -g g --id A " + options).split(" "));
    }

    private long lag(String group) {
        Map<?, ?> object =
                (Map<?, ?>) cli.run("group", "lag", group, "-o", "json").json();
        return (Long) object.get("lag");
    }

    @Test
    void aMemberContinuesAtTheGroupsCommit() {
        orders(3, 9);
        Cli.Result first = consume("--exit");
        assertThat(first.exitCode()).isZero();
        assertThat(first.lines()).containsExactlyInAnyOrder("0", "1", "2", "3", "4", "5", "6", "7", "8");
        assertThat(first.err()).isEqualTo("A got orders 0-2 (generation 1)\nA released orders 0-2 (generation 1)\n");
        assertThat(consume("--exit -q").out()).isEmpty();
        cli.runWith("9\n", "produce", "orders", "-q");
        Cli.Result next = consume("--exit -q");
        assertThat(next.out()).isEqualTo("9\n");
        assertThat(next.err()).isEmpty();
        assertThat(cli.run("consume", "orders", "-g", "another", "--exit", "-q").lines())
                .hasSize(10);
    }

    @Test
    void aCountCommitsOnlyWrittenRecords() {
        orders(1, 9);
        assertThat(consume("-n 4 -q").out()).isEqualTo("0\n1\n2\n3\n");
        assertThat(lag("g")).isEqualTo(5);
        assertThat(consume("-n 5 -q").out()).isEqualTo("4\n5\n6\n7\n8\n");
        assertThat(lag("g")).isZero();
    }

    @Test
    void fromAppliesOnlyWithoutACommit() {
        orders(1, 5);
        assertThat(consume("--from end --exit -q").out()).isEmpty();
        cli.runWith("5\n", "produce", "orders", "-q");
        assertThat(consume("--from start --exit -q").out()).isEqualTo("5\n");
    }

    @Test
    void severalTopicsAndPatternsAreReadTogether() {
        cli.runWith("a\n", "produce", "x", "-q");
        cli.runWith("b\n", "produce", "y", "-q");
        cli.runWith("c\n", "produce", "zoo", "-q");
        assertThat(cli.run("consume", "x", "y", "-g", "g", "--exit", "-q", "-f", "%t%s\\n")
                        .lines())
                .containsExactlyInAnyOrder("xa", "yb");
        assertThat(cli.run("consume", "--pattern", "z.*", "-g", "h", "--exit", "-q")
                        .out())
                .isEqualTo("c\n");
    }

    @Test
    void recordsAndChangesAreObjectsWithJson() {
        orders(1, 1);
        Cli.Result result = consume("--exit -o jsonl");
        Map<?, ?> record = (Map<?, ?>) Json.parse(result.lines().getFirst());
        assertThat(record.keySet())
                .map(Object::toString)
                .containsExactly("topic", "partition", "offset", "timestamp", "key", "value", "headers");
        List<Map<?, ?>> events = new ArrayList<>();
        result.err().lines().forEach(line -> events.add((Map<?, ?>) Json.parse(line)));
        assertThat(events).hasSize(2);
        assertThat(events.getFirst().get("event")).isEqualTo("assigned");
        assertThat(events.getFirst().get("partitions")).isEqualTo(List.of(Map.of("topic", "orders", "partition", 0L)));
        assertThat(events.getLast().get("event")).isEqualTo("revoked");
        assertThat((Long) events.getLast().get("at")).isGreaterThan(1_700_000_000_000L);
    }

    @Test
    void recordsInABrokenPipeAreDeliveredAgain() {
        orders(1, 3);
        OutputStream closed = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException("Broken pipe");
            }
        };
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int exit = Main.run(
                cli.session(new ByteArrayInputStream(new byte[0]), closed, err, new StopSignal()),
                "consume",
                "orders",
                "-g",
                "g",
                "-q");
        assertThat(exit).isZero();
        assertThat(err).hasToString("");
        assertThat(consume("--exit -q").out()).isEqualTo("0\n1\n2\n");
    }

    /** A consumer that runs beside the test. */
    private final class Running {
        final ByteArrayOutputStream out = new ByteArrayOutputStream();
        final ByteArrayOutputStream err = new ByteArrayOutputStream();
        final StopSignal stop = new StopSignal();
        final CompletableFuture<Integer> exit;

        Running(String... args) {
            var session = cli.session(new ByteArrayInputStream(new byte[0]), out, err, stop);
            exit = CompletableFuture.supplyAsync(() -> Main.run(session, args), Thread.ofPlatform()::start);
        }

        void await(Predicate<Running> condition) {
            while (!condition.test(this)) {
                assertThat(exit).as(err::toString).isNotDone();
                Thread.onSpinWait();
            }
        }

        String err() {
            return err.toString(StandardCharsets.UTF_8);
        }
    }

    @Test
    void theOtherMemberTakesOverWhenOneLeaves() throws Exception {
        orders(4, 0);
        Running a = new Running("consume", "orders", "-g", "g", "--id", "A");
        a.await(it -> it.err().contains("A got orders 0-3 (generation 1)"));
        Running b = new Running("consume", "orders", "-g", "g", "--id", "B");
        b.await(it -> it.err().contains("B got orders "));
        a.await(it -> it.err().contains("A released orders 2-3"));
        for (int i = 0; i < 4; i++) {
            cli.runWith(i + "\n", "produce", "orders", "-p", String.valueOf(i), "-q");
        }
        b.await(it -> it.out.size() == 4);
        a.await(it -> it.out.size() == 4);
        b.stop.raise();
        assertThat(b.exit.get()).isEqualTo(130);
        a.await(it -> it.err().contains("A got orders 2-3 (generation 3)"));
        cli.runWith("4\n", "produce", "orders", "-p", "3", "-q");
        a.await(it -> it.out.size() == 6);
        a.stop.raise();
        assertThat(a.exit.get()).isEqualTo(130);
        assertThat(b.out.toString(StandardCharsets.UTF_8).lines()).containsExactlyInAnyOrder("2", "3");
        assertThat(a.out.toString(StandardCharsets.UTF_8).lines()).containsExactlyInAnyOrder("0", "1", "4");
        assertThat(lag("g")).isZero();
        assertThat(cli.run("group", "timeline", "g").out())
                .contains("A joined", "B joined", "B left", "orders 2-3: A-");
    }

    @Test
    void aRunningGroupCannotBeResetOrDeleted() throws Exception {
        orders(2, 4);
        Running a = new Running("consume", "orders", "-g", "g", "--id", "A");
        a.await(it -> it.out.size() == 8);
        Cli.Result reset = cli.run("group", "reset", "g", "--to-earliest", "--execute");
        assertThat(reset.exitCode()).isEqualTo(4);
        assertThat(cli.run("group", "delete", "g", "--yes").exitCode()).isEqualTo(4);
        assertThat(cli.run("group", "members", "g").out())
                .contains("A-", "orders 0-1", "pid:" + ProcessHandle.current().pid());
        a.stop.raise();
        a.exit.get();
        assertThat(cli.run("group", "reset", "g", "--to-earliest", "--execute").exitCode())
                .isZero();
        assertThat(consume("--exit -q").lines()).hasSize(4);
        assertThat(cli.run("group", "delete", "g", "--yes").exitCode()).isZero();
        assertThat(cli.run("group", "describe", "g").exitCode()).isEqualTo(3);
        assertThat(consume("--exit -q").lines()).hasSize(4);
    }

    @Test
    void commandsThatReadNeedNoRightToWrite() {
        orders(2, 4);
        consume("-n 3 -q");
        String described = withoutAges(cli.run("group", "describe", "g").out());
        cli.withoutWriting();
        for (String command : List.of("list", "describe g", "members g", "lag g", "timeline g", "explain g orders:1")) {
            Cli.Result result = cli.run(("group " + command).split(" "));
            assertThat(result.exitCode()).as(command + ": " + result.err()).isZero();
        }
        assertThat(withoutAges(cli.run("group", "describe", "g").out())).isEqualTo(described);
        assertThat(cli.run("group", "watch", "g", "--timeout", "1ms").exitCode())
                .isEqualTo(5);
        assertThat(cli.run("group", "reset", "g", "--to-latest").exitCode()).isZero();
        assertThat(cli.run("group", "reset", "g", "--to-latest", "--execute").exitCode())
                .isEqualTo(4);
        assertThat(cli.run("group", "delete", "g", "--yes").exitCode()).isEqualTo(4);
        assertThat(consume("--exit").exitCode()).isEqualTo(4);
    }

    /** The output without ages: unread records grow older between two commands. */
    private static String withoutAges(String described) {
        return described.replaceAll("\\d+(\\.\\d+)? m?s\\b", "AGE").replaceAll(" +", " ");
    }

    @Test
    void aRemovedMemberLosesItsPartitionsAndRejoins() throws Exception {
        orders(2, 2);
        Running a = new Running("consume", "orders", "-g", "g", "--id", "A");
        a.await(it -> it.out.size() == 4);
        assertThat(cli.run("group", "remove-member", "g", "A").exitCode()).isZero();
        a.await(it -> it.err().contains("A lost orders 0-1"));
        a.await(it -> it.err().indexOf("A got orders 0-1", it.err().indexOf("A lost")) > 0);
        a.stop.raise();
        assertThat(a.exit.get()).isEqualTo(130);
    }

    @Test
    void withWaitALaterTopicIsRead() throws Exception {
        cli.run("topic", "create", "other");
        assertThat(consume("--exit").exitCode()).isEqualTo(3);
        Running a = new Running("consume", "orders", "-g", "g", "--id", "A", "--wait", "-n", "1");
        cli.runWith("late\n", "produce", "orders", "-q");
        assertThat(a.exit.get()).isZero();
        assertThat(a.out).hasToString("late\n");
    }

    @Test
    void damageIsReportedAndSkippedByAMember() throws IOException {
        for (String value : List.of("before", "damaged", "behind")) {
            cli.runWith(value + "\n", "produce", "orders", "-q");
        }
        try (var files = Files.walk(temp.resolve("data").resolve("logs"))) {
            Path log = files.filter(file -> file.toString().endsWith(".log"))
                    .findFirst()
                    .orElseThrow();
            byte[] bytes = Files.readAllBytes(log);
            bytes[new String(bytes, StandardCharsets.ISO_8859_1).indexOf("damaged")] ^= 1;
            Files.write(log, bytes);
        }
        Cli.Result result = consume("--exit");
        assertThat(result.out()).isEqualTo("before\nbehind\n");
        assertThat(result.err()).contains("offsets 1 to 1 cannot be read", "going on at offset 2");
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(consume("--exit -q").out()).isEmpty();
    }

    // Commands

    @Test
    void aCommandGetsTheRecordsAsAStream() {
        orders(1, 5);
        Cli.Result result = cli.run("consume", "orders", "-g", "g", "--exit", "-q", "--", "sed", "s/^/got /");
        assertThat(result.err()).isEmpty();
        assertThat(result.exitCode()).isZero();
        assertThat(result.out()).isEqualTo("got 0\ngot 1\ngot 2\ngot 3\ngot 4\n");
        assertThat(lag("g")).isZero();
    }

    @Test
    void recordsThatAFailedCommandDidNotReadAreDeliveredAgain() {
        orders(1, 5);
        Cli.Result result = cli.run(
                "consume",
                "orders",
                "-g",
                "g",
                "-q",
                "--commit-every",
                "10ms",
                "--",
                "sh",
                "-c",
                "read a; read b; exit 7");
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.err()).startsWith("muster: sh ended with 7; the records it had not read are not committed");
        assertThat(consume("--exit -q").lines()).contains("2", "3", "4");
    }

    @Test
    void eachCommitsRecordsWhoseCommandSucceeded() throws IOException {
        orders(1, 4);
        Path done = temp.resolve("done");
        String script = "v=$(cat); [ $v -lt 2 ] && echo $MUSTER_OFFSET:$v >> " + done;
        Cli.Result result =
                cli.run("consume", "orders", "-g", "g", "--each", "--retries", "0", "-q", "--", "sh", "-c", script);
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.err()).contains("sh ended with 1 for orders-0 at offset 2; the record is not committed");
        assertThat(Files.readAllLines(done)).containsExactly("0:0", "1:1");
        assertThat(consume("--exit -q").out()).isEqualTo("2\n3\n");
    }

    @ParameterizedTest
    @CsvSource({
        "consume orders --id A,--id needs a group",
        "consume orders --session 3s,--session needs a group",
        "consume orders -- cat,a command after -- needs a group",
        "consume orders -g g --to 3,--to and --group exclude each other",
        "consume orders -g g --tail 3,--tail and --group exclude each other",
        "consume orders -g g -p 0,--partition and --group exclude each other",
        "consume orders -g g --heartbeat 5s --session 6s,--heartbeat is 5s",
        "consume orders -g g --heartbeat 20s,--heartbeat is 20s",
        "consume orders -g g --session soon,--session: \"soon\" is not a duration",
        "consume orders -g g --session 0s,--session must be more than 0",
        "consume orders -g g --commit-every often,--commit-every: \"often\" is not a duration",
        "consume orders -g g --assignor fair,--assignor: \"fair\" is not known",
        "consume orders -g g --pattern (,--pattern: ",
        "consume orders -g g --retries -1 --each -- cat,--retries goes with --each",
        "consume orders -g g --each,--each needs a command",
        "consume orders -g g --retries 2 -- cat,--retries goes with --each",
        "consume orders -g g --,there is no command after --",
        "consume -g g,no topic is named",
        "consume,no topic is named"
    })
    void conflictingOptionsAreAUsageError(String command, String message) {
        orders(1, 0);
        Cli.Result result = cli.run(command.split(" "));
        assertThat(result.err()).startsWith("muster: " + message).contains("\ntry: ");
        assertThat(result.exitCode()).isEqualTo(2);
    }

    @Test
    void aMissingCommandIsFoundBeforeJoining() {
        orders(1, 1);
        Cli.Result result = cli.run("consume", "orders", "-g", "g", "--", "no-such-command");
        assertThat(result.exitCode()).isEqualTo(3);
        assertThat(cli.run("group", "list", "-o", "name").out()).isEmpty();
    }

    @Test
    void optionsOfTheChildCommandDoNotMakeErrorsObjects() {
        orders(1, 1);
        Cli.Result result = cli.run("consume", "orders", "-g", "g", "--", "no-such-command", "-o", "json");
        assertThat(result.err()).startsWith("muster: cannot start no-such-command: ");
    }
}
