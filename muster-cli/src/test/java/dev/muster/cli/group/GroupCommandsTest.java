package dev.muster.cli.group;

import static dev.muster.cli.group.FixedGroups.START_MS;
import static dev.muster.cli.group.FixedGroups.member;
import static dev.muster.cli.group.FixedGroups.remote;
import static dev.muster.cli.group.FixedGroups.withInstance;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.cli.Cli;
import dev.muster.cli.command.Terminal;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The output of the commands, for a group with known events. */
class GroupCommandsTest {
    private final FixedGroups groups = new FixedGroups();
    private final Cli cli =
            Cli.inMemory().withGroups(groups, Clock.fixed(Instant.ofEpochMilli(START_MS + 60_000), ZoneOffset.UTC));

    @AfterEach
    void close() {
        cli.close();
    }

    /** A has orders 0 to 2, then B joins and gets one of them 5 ms later. */
    private void aAndB() {
        groups.topic("orders", 3)
                .log("orders", 0, 0, 120)
                .log("orders", 1, 10, 40)
                .join(member("A", 4711, "orders"));
        groups.now = START_MS + 1_000;
        groups.join(member("B", 4712, "orders")).release(5).commit("orders", 0, 100);
    }

    @Test
    void listShowsStateMembersAndLag() {
        aAndB();
        assertThat(cli.run("group", "list").out()).isEqualTo("""
            GROUP    STATE   GENERATION  MEMBERS  PARTITIONS  UNOWNED   LAG  BEHIND
            billing  Stable           2        2           3        0  20+?   2.0 s
            """);
        assertThat(cli.run("group", "list", "-o", "name").out()).isEqualTo("billing\n");
        assertThat(cli.run("group", "list", "-o", "jsonl").out()).isEqualTo("""
            {"group":"billing","state":"Stable","generation":2,"memberCount":2,"partitionCount":3,"unownedCount":0,"lag":20,"behindMs":2000,"deadCount":0,"withoutCommitCount":2,"assignor":"sticky","topics":["orders"]}
            """);
    }

    @Test
    void aPartitionWithoutACommitHasNoLag() {
        aAndB();
        assertThat(cli.run("group", "describe", "billing").out()).isEqualTo("""
            group         billing
            state         Stable
            generation    2
            members       2
            partitions    3
            lag           20, 2.0 s behind, 2 partitions without a commit
            assignor      sticky
            last change   2026-01-31 12:00:01.010: B joined

            GROUP    TOPIC   PARTITION  CURRENT-OFFSET  LOG-END-OFFSET  LAG  CONSUMER-ID  HOST      CLIENT-ID  BEHIND
            billing  orders          0             100             120   20  A-1f         pid:4711  A           2.0 s
            billing  orders          1               -              40    -  A-1f         pid:4711  A               -
            billing  orders          2               -               0    -  B-1f         pid:4712  B               -
            """);
        assertThat(cli.run("group", "describe", "billing", "-o", "csv").out()).isEqualTo("""
            group,topic,partition,committedOffset,endOffset,lag,memberId,host,clientId,behindMs,startOffset,committedAt,ownedSince,ownedAt
            billing,orders,0,100,120,20,A-1f,pid:4711,A,2000,0,1769860801015,1,1769860800010
            billing,orders,1,,40,,A-1f,pid:4711,A,,10,,1,1769860800010
            billing,orders,2,,0,,B-1f,pid:4712,B,,0,,2,1769860801015
            """);
    }

    @Test
    void aClassicGroupIsShownLikeAnyOther() {
        groups.topic("orders", 2).joinClassic("app", "orders");
        assertThat(cli.run("group", "describe", "billing").out()).isEqualTo("""
            group         billing
            state         Stable
            generation    1
            members       1
            partitions    2
            lag           not known, 2 partitions without a commit
            assignor      range
            last change   2026-01-31 12:00:00.000: app joined (hello)

            GROUP    TOPIC   PARTITION  CURRENT-OFFSET  LOG-END-OFFSET  LAG  CONSUMER-ID  HOST       CLIENT-ID  BEHIND
            billing  orders          0  -                            0  -    app-1f       /10.0.0.7  app        -
            billing  orders          1  -                            0  -    -            -          -          -
            """);
        assertThat(cli.run("group", "members", "billing").lines())
                .last()
                .asString()
                .contains("app-1f", "/10.0.0.7", "orders 0", "present", "45 s");
        ordersExists();
        assertThat(cli.run("group", "explain", "billing", "orders:0").out()).contains("app (app-1f) owns orders-0");
    }

    @Test
    void describeWithJsonHasMembersAndPartitions() {
        aAndB();
        Map<?, ?> group = (Map<?, ?>)
                cli.run("group", "describe", "billing", "-o", "json").json();
        assertThat(group.get("lag")).isEqualTo(20L);
        assertThat((List<?>) group.get("members")).hasSize(2);
        Map<?, ?> partition = (Map<?, ?>) ((List<?>) group.get("partitions")).get(1);
        assertThat(partition.containsKey("lag")).isTrue();
        assertThat(partition.get("lag")).isNull();
        assertThat(partition.get("memberId")).isEqualTo("A-1f");
        assertThat(cli.run("group", "describe", "billing", "-o", "name").out()).isEqualTo("billing\n");
    }

    @Test
    void deadProcessesAreShownBeforeTheJournalHasThem() {
        aAndB();
        groups.dead.add("B-1f");
        assertThat(cli.run("group", "describe", "billing").out())
                .contains("members       2, 1 dead and not yet replaced\n");
        assertThat(cli.run("group", "members", "billing", "-o", "csv").lines().stream()
                        .skip(1)
                        .map(line -> line.replaceAll(".*,(dead|present),.*", "$1")))
                .containsExactly("present", "dead");
    }

    /** A dead member stays in the journal until the next process comes. Every command must show that it is dead. */
    @Test
    void everyCommandShowsThatTheLastMemberIsDead() {
        groups.topic("orders", 1).log("orders", 0, 0, 5).join(member("A", 4711, "orders"));
        groups.commit("orders", 0, 2);
        groups.dead.add("A-1f");
        assertThat(cli.run("group", "list").lines().getLast()).contains("billing  MembersDied");
        assertThat(cli.run("group", "list", "-o", "jsonl").out())
                .contains("\"state\":\"MembersDied\"")
                .contains("\"deadCount\":1");
        String described = cli.run("group", "describe", "billing").out();
        assertThat(described)
                .contains("state         MembersDied: the process of every member is dead;"
                        + " the next member that joins takes over\n")
                .contains("pid:4711 (dead)");
        assertThat(cli.run("group", "describe", "billing", "-o", "csv").out()).contains(",A-1f,pid:4711,A,");
        assertThat(cli.run("group", "members", "billing").out()).contains("dead");
        assertThat(cli.run("group", "lag", "billing").out()).contains("A (dead)");
        assertThat(cli.run("group", "timeline", "billing").lines().getLast())
                .isEqualTo("since then  A died and no member is left; the next member that joins takes over");
        ordersExists();
        assertThat(cli.run("group", "explain", "billing", "orders:0").lines())
                .startsWith(
                        "The process of A (A-1f) is dead, so no member commits orders-0.",
                        "Its last sign of life came at 2026-01-31T12:00:00Z.",
                        "No living member is left to write its death into the journal: the next member that joins takes"
                                + " over.");
    }

    @Test
    void watchReportsTheLastDeathOnce() {
        groups.topic("orders", 1).join(member("A", 4711, "orders"));
        groups.later(() -> groups.dead.add("A-1f")).later(() -> groups.join(member("B", 4712, "orders")));
        Cli.Result watched = cli.run("group", "watch", "billing", "-n", "2");
        assertThat(watched.lines().getFirst())
                .endsWith("A is dead and no member is left; the next member that joins takes over");
        assertThat(watched.lines().getLast()).contains("B joined");
    }

    @Test
    void aGroupWithALivingMemberKeepsItsState() {
        aAndB();
        groups.dead.add("B-1f");
        assertThat(cli.run("group", "list").out()).contains("Stable");
        ordersExists();
        assertThat(cli.run("group", "explain", "billing", "orders:2").out())
                .contains("The journal does not have its death yet: a living member is about to write it.");
    }

    @Test
    void membersAreShownWithOwnedAndRevokedPartitions() {
        groups.topic("orders", 3).join(member("A", 4711, "orders"));
        groups.now = START_MS + 1_000;
        groups.join(member("B", 4712, "orders"));
        assertThat(cli.run("group", "members", "billing").out()).isEqualTo("""
            GROUP    CONSUMER-ID  HOST      CLIENT-ID  #PARTITIONS  ASSIGNMENT  TO-LET-GO  STATE                     JOINED  SESSION
            billing  A-1f         pid:4711  A                    3  orders 0-2  orders 2   present  2026-01-31 12:00:00.000     30 s
            billing  B-1f         pid:4712  B                    0  -           -          present  2026-01-31 12:00:01.000     30 s
            """);
        assertThat(cli.run("group", "members", "billing", "-o", "name").out()).isEqualTo("A-1f\nB-1f\n");
        assertThat(cli.run("group", "members", "billing", "-o", "jsonl").lines().getLast())
                .isEqualTo("{\"group\":\"billing\",\"memberId\":\"B-1f\",\"host\":\"pid:4712\",\"clientId\":\"B\","
                               + "\"partitionCount\":0,\"partitions\":[],\"toLetGo\":[],\"state\":\"present\","
                               + "\"joinedAt\":1769860801000,\"sessionMs\":30000,\"toGet\":[{\"topic\":\"orders\",\"partition\":2}],"
                               + "\"pid\":4712,\"instanceId\":null,\"assignor\":\"sticky\",\"topics\":[\"orders\"],"
                               + "\"pattern\":null,\"revokeMs\":30000}");
        assertThat(cli.run("group", "list").out()).contains("Reconciling");
    }

    @Test
    void lagIsShownInRecordsAndInTime() {
        aAndB();
        Cli.Result lag = cli.run("group", "lag", "billing");
        assertThat(lag.out()).isEqualTo("""
            TOPIC   PARTITION  CURRENT-OFFSET  LOG-END-OFFSET  LAG  BEHIND  OWNER
            orders          0             100             120   20   2.0 s  A
            orders          1               -              40    -       -  A
            orders          2               -               0    -       -  B
            """);
        assertThat(lag.err()).isEqualTo("lag 20, 2.0 s behind, 2 partitions without a commit\n");
        assertThat(cli.run("group", "lag", "billing", "-o", "json").out()).isEqualTo("""
            {"group":"billing","at":1769860860000,"lag":20,"behindMs":2000,"aheadCount":0,"withoutCommitCount":2,"partitions":[\
            {"topic":"orders","partition":0,"committedOffset":100,"endOffset":120,"lag":20,"behindMs":2000,"owner":"A"},\
            {"topic":"orders","partition":1,"committedOffset":null,"endOffset":40,"lag":null,"behindMs":null,"owner":"A"},\
            {"topic":"orders","partition":2,"committedOffset":null,"endOffset":0,"lag":null,"behindMs":null,"owner":"B"}]}
            """);
    }

    @Test
    void lagWatchShowsLinesOrUpdatesInPlace() {
        aAndB();
        String line = "12:01:00.000  billing  Stable  lag 20, 2.0 s behind, 2 partitions without a commit\n";
        Cli.Result lines = cli.run("group", "lag", "billing", "--watch", "--every", "1ms", "--timeout", "20ms");
        assertThat(lines.exitCode()).isEqualTo(5);
        assertThat(lines.out()).startsWith(line + line);
        cli.withTerminal(new Terminal(false, true, true));
        String frames = cli.run(
                        "group", "lag", "billing", "-w", "--every", "1ms", "--timeout", "20ms", "--color", "never")
                .out();
        assertThat(frames).startsWith(line + "TOPIC ").contains("\u001b[5A\r\u001b[J" + line + "TOPIC ");
    }

    @Test
    void timelineShowsCausesReasonsAndMoves() {
        aAndB();
        groups.now = START_MS + 2_000;
        groups.die(4711);
        assertThat(cli.run("group", "timeline", "billing").out()).isEqualTo("""
            generation 1  2026-01-31 12:00:00.010  A joined
              sticky: 3 partitions over 1 member, each gets 3; 0 moved, 0 stayed, 3 had no owner, the least possible
              orders 0-2: no member -> A-1f
            generation 2  2026-01-31 12:00:01.010  B joined
              sticky: 3 partitions over 2 members, each gets 1 or 2; 1 moved, 2 stayed, the least possible
              orders 2: A-1f -> B, unowned 0 ms
            generation 3  2026-01-31 12:00:02.000  A died with its process
              sticky: 3 partitions over 1 member, each gets 3; 0 moved, 1 stayed, 2 had no owner, the least possible
              orders 0-1: A-1f -> B, unowned 0 ms
            """);
        assertThat(cli.run("group", "timeline", "billing", "--since", "2026-01-31T12:00:02.5Z")
                        .out())
                .isEqualTo("");
        assertThat(cli.run("group", "timeline", "billing", "-o", "jsonl")
                        .lines()
                        .get(1))
                .isEqualTo(
                        "{\"generation\":2,\"at\":1769860801010,\"cause\":\"B"
                            + " joined\",\"assignor\":\"sticky\",\"reason\":\"sticky: 3 partitions over 2 members,"
                            + " each gets 1 or 2; 1 moved, 2 stayed, the least"
                            + " possible\",\"unownedMsMax\":0,\"moves\":[{\"topic\":\"orders\",\"partition\":2,\"from\":\"A-1f\","
                            + "\"to\":\"B-1f\",\"freedAt\":1769860801015,\"takenAt\":1769860801015,\"unownedMs\":0}],\"falseAlarms\":[]}");
    }

    /**
     * The client R loses its connection a second after it joined, is expelled for that, and speaks again two seconds
     * later.
     */
    private void aFalseAlarm() {
        groups.topic("orders", 2).join(member("A", 4711, "orders"));
        groups.join(remote(member("R", 4712, "orders"), "/10.0.0.7")).release(5);
        groups.now = START_MS + 1_000;
        groups.lostConnection("R-1f", 4712);
        groups.now = START_MS + 3_000;
        groups.speaks("R-1f");
    }

    @Test
    void falseAlarmsAreCountedAndShown() {
        aFalseAlarm();
        assertThat(cli.run("group", "describe", "billing").lines())
                .contains("false alarms  1 expelled after a broken connection, though alive; the last: R (R-1f) was"
                        + " alive and came back at 2026-01-31 12:00:03.000");
        Map<?, ?> group = (Map<?, ?>)
                cli.run("group", "describe", "billing", "-o", "json").json();
        assertThat(group.get("falseAlarmCount")).isEqualTo(1L);
        assertThat(group.get("falseAlarms"))
                .isEqualTo(List.of(Map.of(
                        "memberId",
                        "R-1f",
                        "clientId",
                        "R",
                        "host",
                        "/10.0.0.7",
                        "generation",
                        3L,
                        "at",
                        START_MS + 3_000)));
    }

    @Test
    void explainNamesAFalseAlarmThatCausedAMove() {
        aFalseAlarm();
        assertThat(cli.run("group", "timeline", "billing").out()).endsWith("""
            generation 3  2026-01-31 12:00:01.000  R lost its connection and did not come back
              sticky: 2 partitions over 1 member, each gets 2; 0 moved, 1 stayed, 1 had no owner, the least possible
              orders 1: R-1f -> A, unowned 0 ms
              false alarm: R (R-1f) was alive and came back at 2026-01-31 12:00:03.000
            """);
        assertThat(cli.run("group", "timeline", "billing", "-o", "jsonl")
                        .lines()
                        .getLast())
                .endsWith("\"falseAlarms\":[{\"memberId\":\"R-1f\",\"clientId\":\"R\",\"host\":\"/10.0.0.7\","
                        + "\"generation\":3,\"at\":1769860803000}]}");
        ordersExists();
        assertThat(cli.run("group", "explain", "billing", "orders:1").out())
                .contains("That was a false alarm: R (R-1f) was alive and sent a request 2026-01-31T12:00:03Z");
        assertThat(cli.run("group", "explain", "billing", "orders:0").out()).doesNotContain("false alarm");
    }

    @Test
    void watchShowsAFalseAlarm() {
        groups.topic("orders", 2).join(remote(member("R", 4712, "orders"), "/10.0.0.7"));
        groups.lostConnection("R-1f", 4712);
        groups.later(() -> groups.speaks("R-1f"));
        assertThat(cli.run("group", "watch", "billing", "-n", "1", "-q").out())
                .endsWith("  R (R-1f) was expelled after a broken connection, though alive\n");
    }

    @Test
    void watchShowsChangesAsSentences() {
        aAndB();
        groups.later(() -> {
            groups.now = START_MS + 2_000;
            groups.die(4712);
        });
        groups.later(() -> groups.commit("orders", 1, 20));
        groups.later(() -> {
            groups.now = START_MS + 3_000;
            groups.join(member("C", 4713, "orders"));
        });
        groups.later(() -> groups.release(7));
        Cli.Result watch = cli.run("group", "watch", "billing", "-n", "6");
        assertThat(watch.err()).isEqualTo("group billing, generation 2, Stable: watching\n");
        assertThat(watch.out()).isEqualTo("""
            12:00:02.000  B left the group
            12:00:02.000  generation 3: B died with its process; 1 partition moves
            12:00:02.000  orders 2: B -> A, unowned 0 ms
            12:00:03.000  C joined (process 4713)
            12:00:03.010  generation 4: C joined; 1 partition moves
            12:00:03.017  orders 2: A -> C, unowned 0 ms
            """);
    }

    @Test
    void watchEndsWhenTheGroupVanishesBetweenTwoLooks() {
        aAndB();
        groups.later(groups::vanish);
        Cli.Result watch = cli.run("group", "watch", "billing");
        assertThat(watch.err()).endsWith("the group was deleted\n");
        assertThat(watch.out()).isEmpty();
        assertThat(watch.exitCode()).isZero();
    }

    @Test
    void watchShowsCommitsAndResets() {
        aAndB();
        groups.later(() -> groups.commit("orders", 1, 20));
        Cli.Result watch = cli.run("group", "watch", "billing", "-n", "1", "--commits", "-o", "jsonl", "-q");
        assertThat(watch.err()).isEmpty();
        assertThat(watch.out()).isEqualTo("""
            {"at":1769860801015,"event":"committed","generation":2,"member":"A-1f","partitions":[{"topic":"orders","partition":1}],"text":"A committed orders-1 at 20"}
            """);
    }

    @Test
    void explainPrintsTheExplanationOfTheRules() {
        aAndB();
        ordersExists();
        Cli.Result explained = cli.run("group", "explain", "billing", "orders:2");
        assertThat(explained.lines().getFirst()).startsWith("B").contains("owns orders-2 since generation 2");
        assertThat(explained.out()).contains("B joined");
        Map<?, ?> object = (Map<?, ?>)
                cli.run("group", "explain", "billing", "orders-2", "-o", "json").json();
        assertThat(object.get("partition")).isEqualTo(2L);
        assertThat(object.get("lines")).isEqualTo(explained.lines());
    }

    /** Once, the explanation of a missing topic or partition looked like an answer. */
    @ParameterizedTest
    @CsvSource({
        "nope:0,there is no topic \"nope\"",
        "orders:99,'topic \"orders\" has no partition 99: it has 4 partitions, numbered from 0'"
    })
    void explainOfAMissingPartitionIsAnError(String partition, String message) {
        aAndB();
        ordersExists();
        Cli.Result result = cli.run("group", "explain", "billing", partition);
        assertThat(result.exitCode()).isEqualTo(3);
        assertThat(result.err()).startsWith("muster: " + message + "\n");
        assertThat(result.out()).isEmpty();
    }

    /** Once, a negative partition was reported as a topic with an invalid name. */
    @Test
    void explainOfAnInvalidPartitionIsAUsageError() {
        Cli.Result result = cli.run("group", "explain", "billing", "orders:-1");
        assertThat(result.exitCode()).isEqualTo(2);
        assertThat(result.err()).contains("\"-1\" is not a partition number\ntry: write orders:2\n");
    }

    private void ordersExists() {
        cli.muster().topics().ensure("orders", topic -> topic.partitions(4));
    }

    @Test
    void aStaticMemberThatReturnsMovesNothing() {
        groups.topic("orders", 1).join(withInstance(member("A", 4711, "orders"), "A-1", "first"));
        GroupChanges changes = new GroupChanges(groups.group(), false);
        groups.die(4711);
        assertThat(changes.since(groups.group(), START_MS))
                .extracting(GroupChanges.Change::text)
                .containsExactly("A is away; it may come back within 30 s");
        groups.join(withInstance(member("A", 4799, "orders"), "A-2", "first"));
        assertThat(changes.since(groups.group(), START_MS))
                .extracting(GroupChanges.Change::text)
                .containsExactly("A came back (process 4799)");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "describe nope",
                "members nope",
                "lag nope",
                "lag nope --watch",
                "watch nope",
                "timeline nope",
                "explain nope orders:0",
                "reset nope --to-earliest",
                "complete nope",
                "delete nope --yes",
                "remove-member nope A"
            })
    void aMissingGroupIsNamed(String command) {
        Cli.Result result = cli.run(("group " + command).split(" "));
        assertThat(result.exitCode()).isEqualTo(3);
        assertThat(result.err())
                .isEqualTo("muster: there is no group \"nope\"\ntry: see which there are: muster group list\n");
        assertThat(groups.asked).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "describe",
                "describe a b",
                "lag billing --every 0s",
                "lag billing --every often",
                "watch billing -o table",
                "timeline billing --since yesterday",
                "explain billing",
                "explain billing orders",
                "explain billing orders:x",
                "reset billing",
                "reset billing --to-earliest --to-latest",
                "reset billing --to-offset -1",
                "reset billing --to-time soon",
                "reset billing --to-earliest --topic orders:x",
                "reset billing --to-earliest --topic orders:3-1",
                "reset billing --forget --live",
                "reset billing --to-latest --because tired",
                "expect billing",
                "expect billing some",
                "expect billing -1",
                "expect billing 3 --within 0s",
                "complete",
                "remove-member billing"
            })
    void invalidArgumentsAreAUsageError(String command) {
        Cli.Result result = cli.run(("group " + command).split(" "));
        assertThat(result.exitCode()).isEqualTo(2);
        assertThat(result.err()).contains("\ntry: ");
        assertThat(groups.asked).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "--to-earliest,'0, 10, 0'",
        "--to-latest,'120, 40, 0'",
        "--to-offset 30,'30, 30, 0'",
        "--to-offset 999,'120, 40, 0'",
        "--to-offset 5,'5, 10, 0'"
    })
    void aResetIsAPlanUntilItIsExecuted(String where, String offsets) {
        aAndB();
        realLogs();
        Cli.Result plan = cli.run(("group reset billing " + where + " -o csv").split(" "));
        assertThat(plan.exitCode()).isZero();
        assertThat(plan.lines().stream().skip(1).map(line -> line.split(",")[3]))
                .containsExactly(offsets.split(", "));
        assertThat(plan.err())
                .isEqualTo("nothing was changed: --execute does it, once the group's 2 members are stopped;"
                        + " --live does it while they run\n");
        assertThat(groups.asked).isEmpty();
        Cli.Result done = cli.run(("group reset billing --execute " + where).split(" "));
        assertThat(done.err()).isEqualTo("3 offsets of group billing set\n");
        String[] each = offsets.split(", ");
        assertThat(groups.asked)
                .containsExactly(
                        "reset {orders-0=" + each[0] + ", orders-1=" + each[1] + ", orders-2=" + each[2] + "}");
    }

    /** Real logs with the ends of {@link #aAndB}. */
    private void realLogs() {
        cli.run("topic", "create", "orders", "-P", "3");
        cli.runWith("x\n".repeat(120), "produce", "orders", "-p", "0", "--timestamp", "@1000");
        cli.runWith("x\n".repeat(40), "produce", "orders", "-p", "1", "--timestamp", "@2000");
        cli.run("topic", "trim", "orders", "-p", "1", "--before", "10");
    }

    @Test
    void aResetShowsItsChanges() {
        aAndB();
        realLogs();
        assertThat(cli.run("group", "reset", "billing", "--shift-by", "-30", "--topic", "orders:0")
                        .out())
                .isEqualTo("""
                    GROUP    TOPIC   PARTITION  NEW-OFFSET  CURRENT-OFFSET  LOG-END-OFFSET  NEW-LAG
                    billing  orders          0          70             100             120       50
                    """);
        assertThat(cli.run("group", "reset", "billing", "--to-time", "@1500", "-t", "orders:0-1", "-o", "json")
                        .out())
                .isEqualTo("""
                    {"group":"billing","executed":false,"live":false,"partitions":[\
                    {"group":"billing","topic":"orders","partition":0,"newOffset":120,"committedOffset":100,"endOffset":120,"newLag":0},\
                    {"group":"billing","topic":"orders","partition":1,"newOffset":10,"committedOffset":null,"endOffset":40,"newLag":30}]}
                    """);
        Cli.Result unshiftable = cli.run("group", "reset", "billing", "--shift-by", "1", "--execute");
        assertThat(unshiftable.exitCode()).isEqualTo(4);
        assertThat(unshiftable.err()).contains("orders-1 has no commit that could be shifted");
        assertThat(cli.run("group", "reset", "billing", "--to-latest", "--topic", "orders:7")
                        .exitCode())
                .isEqualTo(3);
        assertThat(cli.run("group", "reset", "billing", "--to-latest", "--topic", "none")
                        .exitCode())
                .isEqualTo(3);
        cli.run("group", "reset", "billing", "--forget", "--execute");
        assertThat(groups.asked).containsExactly("forget [orders-0]");
    }

    @Test
    void aLiveResetWorksWhileMembersRun() {
        aAndB();
        realLogs();
        Cli.Result plan = cli.run("group", "reset", "billing", "--to-offset", "30", "--live", "-t", "orders:0");
        assertThat(plan.err()).isEqualTo("nothing was changed: --execute does it\n");
        assertThat(groups.asked).isEmpty();
        Cli.Result done =
                cli.run("group reset billing --to-offset 30 --live --because tired -t orders:0 --execute".split(" "));
        assertThat(done.err()).isEqualTo("1 offset of group billing set; their owners start there\n");
        assertThat(groups.asked).containsExactly("live reset {orders-0=30} because tired");
    }

    @Test
    void timelineAndWatchShowALiveReset() {
        aAndB();
        groups.now = START_MS + 2_000;
        groups.rewind("orders", 0, 30, "tired").release(40);
        assertThat(cli.run("group", "timeline", "billing").out()).endsWith("""
            generation 3  2026-01-31 12:00:02.000  reset by alice: orders-0 to 30, because tired
              everything stays where it is; who owns one of these lets go and begins there anew
              orders 0: A starts at another offset, unowned 0 ms
            """);
    }

    @Test
    void expectSetsTheNumberOfMembers() {
        aAndB();
        assertThat(cli.run("group", "expect", "billing", "5", "--within", "30s").err())
                .isEqualTo("group billing waits for 5 members, 30 s at most, when it next starts without members;"
                        + " now it has members\n");
        assertThat(cli.run("group", "expect", "billing", "0").err()).isEqualTo("group billing waits for no members\n");
        assertThat(cli.run("group", "complete", "billing").err()).isEqualTo("group billing begins with 2 members\n");
        assertThat(groups.asked)
                .containsExactly("expect billing 5 PT30S", "expect billing 0 PT10S", "complete billing");
    }

    @Test
    void aFormingGroupShowsItsProgress() {
        groups.topic("orders", 3).expect(3).join(member("A", 4711, "orders"));
        assertThat(cli.run("group", "describe", "billing").out())
                .contains("state         Forming: 1 of 3, completes at 2026-01-31 12:00:10");
        assertThat(cli.run("group", "describe", "billing", "-o", "json").out())
                .contains(
                        "\"state\":\"Forming\"",
                        "\"expectedMembers\":3,\"expectedWithinMs\":10000,\"formingMembers\":3,\"completesAt\":17698608100");
        ordersExists();
        assertThat(cli.run("group", "explain", "billing", "orders:0").out())
                .contains("The group is forming: 1 of 3 members have joined");
    }

    @Test
    void deletingNeedsConfirmation() {
        aAndB();
        Cli.Result unasked = cli.run("group", "delete", "billing");
        assertThat(unasked.exitCode()).isEqualTo(4);
        assertThat(unasked.err()).contains("needs a yes").contains("muster group delete billing --yes");
        cli.withTerminal(new Terminal(true, true, true));
        assertThat(cli.runWith("n\n", "group", "delete", "billing").exitCode()).isEqualTo(4);
        assertThat(groups.asked).isEmpty();
        Cli.Result yes = cli.runWith("y\n", "group", "delete", "billing");
        assertThat(yes.err()).isEqualTo("delete group billing with 1 committed offset? [y/N] group billing deleted\n");
        assertThat(groups.asked).containsExactly("delete billing");
    }

    @Test
    void aMemberIsRemovedByItsIdOrItsUniqueName() {
        aAndB();
        assertThat(cli.run("group", "remove-member", "billing", "B").err())
                .isEqualTo("member B was removed from group billing; it owned orders 2. If it is alive, it will join"
                        + " again\n");
        cli.run("group", "remove-member", "billing", "A-1f");
        assertThat(groups.asked).containsExactly("remove B-1f", "remove A-1f");
        groups.join(withInstance(member("B", 4713, "orders"), "B-2f", "second"));
        assertThat(cli.run("group", "remove-member", "billing", "B").exitCode()).isEqualTo(4);
        assertThat(cli.run("group", "remove-member", "billing", "second").exitCode())
                .isZero();
        assertThat(cli.run("group", "remove-member", "billing", "Z").err())
                .startsWith("muster: there is no member \"Z\" in group \"billing\"");
    }

    @Test
    void controlCharactersInNamesAreNotPrinted() {
        groups.topic("orders", 1).join(member("A\u001b[2J", 4711, "orders"));
        for (String command : List.of("describe", "members", "lag", "timeline")) {
            assertThat(cli.run("group", command, "billing").out()).doesNotContain("\u001b");
        }
    }
}
