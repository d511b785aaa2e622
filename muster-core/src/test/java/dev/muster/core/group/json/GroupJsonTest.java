package dev.muster.core.group.json;

import static dev.muster.core.group.GroupFixture.as;
import static dev.muster.core.group.GroupFixture.id;
import static dev.muster.core.group.GroupFixture.offsets;
import static dev.muster.core.group.GroupFixture.partition;
import static dev.muster.core.group.GroupFixture.partitions;
import static dev.muster.core.group.GroupFixture.remote;
import static dev.muster.core.group.GroupFixture.spec;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.core.MemberId;
import dev.muster.core.MusterException;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.Group;
import dev.muster.core.group.GroupFixture;
import dev.muster.core.group.History;
import dev.muster.core.group.command.Command;
import dev.muster.core.group.command.Entry;
import dev.muster.core.group.command.Event;
import dev.muster.core.group.model.CommittedOffset;
import dev.muster.core.group.model.Expectation;
import dev.muster.core.group.model.LastMove;
import dev.muster.core.group.model.LeaveCause;
import dev.muster.core.group.model.MemberSpec;
import dev.muster.core.group.model.Subscription;
import dev.muster.core.group.model.Timing;
import dev.muster.core.json.Json;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The lines of a journal. They are on disks, so a change here is a change of the format. */
class GroupJsonTest {
    private final GroupFixture fixture = new GroupFixture().topic("orders", 4);

    private static void written(Event event, String json) {
        String line = GroupJson.entry(new Entry(5, GroupFixture.HOST, List.of(event)));
        assertThat(line).isEqualTo("{\"v\":1,\"at\":5,\"by\":\"h1\",\"events\":[" + json.replace('\'', '"') + "]}");
        assertThat(EventJson.read(Json.parse(json.replace('\'', '"')))).isEqualTo(event);
        assertThat(GroupJson.isSnapshot(line)).isFalse();
    }

    @Test
    void everyEventHasItsForm() {
        written(
                new Event.MemberJoined(spec("A", "orders", "payments")),
                "{'event':'joined','member':{'id':'A','client':'A','host':'h1','topics':['orders','payments'],"
                        + "'session':'PT30S','revoke':'PT30S','assignor':'sticky'}}");
        written(
                new Event.MemberReturned(
                        id("A"),
                        remote(as(spec("B", "x"), "east")).with(new Subscription(new TreeSet<>(), Optional.of("o.*")))),
                "{'event':'returned','old':'A','member':{'id':'B','instance':'east','client':'B','host':'h1',"
                    + "'address':'10.0.0.7','pattern':'o.*','session':'PT30S','revoke':'PT30S','assignor':'sticky'}}");
        written(
                new Event.MemberAway(id("A"), LeaveCause.PROCESS_DIED),
                "{'event':'away','member':'A','cause':'PROCESS_DIED'}");
        written(new Event.MemberLeft(id("A"), LeaveCause.LEFT), "{'event':'left','member':'A','cause':'LEFT'}");
        written(
                new Event.MemberLeft(id("A"), LeaveCause.PROCESS_DIED, OptionalLong.of(7)),
                "{'event':'left','member':'A','cause':'PROCESS_DIED','lastSign':7}");
        written(new Event.FalseAlarm(id("A")), "{'event':'false-alarm','member':'A'}");
        written(
                new Event.MemberSubscribed(id("A"), GroupFixture.subscription("orders")),
                "{'event':'subscribed','member':'A','topics':['orders']}");
        written(
                new Event.TopicsChanged(new GroupFixture().topic("a", 3).topics),
                "{'event':'topics','topics':{'a':{'id':'00000000-0000-0000-0000-000000000061','partitions':3}}}");
        SortedMap<MemberId, SortedSet<TopicPartition>> targets = new TreeMap<>();
        targets.put(id("A"), partitions("orders", 0, 1, 2, 3, 7));
        targets.put(id("B"), partitions("orders"));
        written(
                new Event.Rebalanced(7, targets, "B joined", "sticky", "because"),
                "{'event':'rebalanced','generation':7,'cause':'B joined','assignor':'sticky','reason':'because',"
                        + "'targets':{'A':{'orders':'0-3,7'},'B':{}}}");
        SortedSet<TopicPartition> two = partitions("orders", 0, 2);
        two.addAll(partitions("payments", 1, 2));
        written(
                new Event.Released(id("A"), two),
                "{'event':'released','member':'A','partitions':{'orders':'0,2','payments':'1-2'}}");
        written(
                new Event.Granted(id("A"), partitions("orders", 10, 11)),
                "{'event':'granted','member':'A','partitions':{'orders':'10-11'}}");
        SortedMap<TopicPartition, CommittedOffset> offsets = offsets("orders", 0, 105);
        offsets.put(partition("orders", 1), new CommittedOffset(7, 2, ""));
        offsets.put(partition("payments", 0), new CommittedOffset(9, -1, "by night"));
        written(
                new Event.Committed(id("A"), offsets),
                "{'event':'committed','member':'A','offsets':{'orders':{'0':105,'1':[7,2]},"
                        + "'payments':{'0':[9,-1,'by night']}}}");
        written(new Event.OffsetsReset(offsets("orders", 0, 3)), "{'event':'reset','offsets':{'orders':{'0':3}}}");
        written(
                new Event.OffsetsForgotten(partitions("orders", 0)),
                "{'event':'forgotten','partitions':{'orders':'0'}}");
        written(
                new Event.Rewound(8, offsets("orders", 0, 3), "reset by somebody: orders-0 to 3"),
                "{'event':'rewound','generation':8,'cause':'reset by somebody: orders-0 to 3',"
                        + "'offsets':{'orders':{'0':3}}}");
        Expectation three = new Expectation(3, Duration.ofSeconds(10));
        written(new Event.MembersExpected(Optional.of(three)), "{'event':'expected','members':3,'within':'PT10S'}");
        written(new Event.MembersExpected(Optional.empty()), "{'event':'expected'}");
        written(new Event.FormingBegan(three), "{'event':'forming','members':3,'within':'PT10S'}");
        written(new Event.Formed("has all 3 members"), "{'event':'formed','what':'has all 3 members'}");
        written(new Event.GroupDeleted(), "{'event':'deleted'}");
    }

    @Test
    void aSnapshotKeepsTheWholeState() {
        fixture.topic("payments", 2);
        fixture.arrive(as(spec("A", "orders", "payments"), "east"));
        fixture.ask(new Command.Commit(id("A"), 1, offsets("orders", 0, 5)));
        fixture.ask(new Command.Leave(id("A"), LeaveCause.LEFT, true));
        fixture.join(remote(spec("B", "orders")));
        fixture.settle();
        fixture.join(spec("C", "orders"));
        fixture.settle();
        fixture.join(spec("D", "payments"));
        fixture.ask(new Command.Leave(id("C"), LeaveCause.REMOVED, false));
        fixture.join(spec("E", "payments"));
        String line = GroupJson.snapshot(fixture.group, 5, GroupFixture.HOST);
        assertThat(GroupJson.isSnapshot(line)).isTrue();
        assertThat(line).doesNotContain("\n");
        Group read = GroupJson.replay(Group.empty(), line);
        assertThat(read).isEqualTo(fixture.group);
        assertThat(read.hashCode()).isEqualTo(fixture.group.hashCode());
        assertThat(GroupJson.snapshot(read, 5, GroupFixture.HOST)).isEqualTo(line);
        assertThat(read.timers()).isEqualTo(fixture.group.timers());
        assertThat(GroupJson.replay(fixture.group, GroupJson.snapshot(Group.empty(), 5, GroupFixture.HOST)))
                .isEqualTo(Group.empty());
    }

    /** Covers generations that the history has forgotten and that were the last to move a partition. */
    @Test
    void aSnapshotKeepsTheLastMoveOfEveryPartition() {
        fixture.arrive(spec("A", "orders"));
        for (int i = 0; i < 2 * History.GENERATIONS_MAX; i++) {
            fixture.arrive(spec("idle" + i, "nothing"));
            fixture.ask(new Command.Leave(id("idle" + i), LeaveCause.LEFT, false));
        }
        assertThat(fixture.group.history()).hasSize(History.GENERATIONS_MAX);
        assertThat(fixture.group.history().getFirst().number()).isGreaterThan(1);
        LastMove last = fixture.group.lastMove(partition("orders", 0)).orElseThrow();
        assertThat(last.generation()).isEqualTo(1);
        assertThat(last.cause()).isEqualTo("A joined");
        Group read = GroupJson.replay(Group.empty(), GroupJson.snapshot(fixture.group, 5, GroupFixture.HOST));
        assertThat(read).isEqualTo(fixture.group);
        assertThat(read.lastMove(partition("orders", 0))).contains(last);
    }

    @Test
    void aHistoryWithManyMovesHasFewerGenerations() {
        fixture.topic("orders", 1_000);
        fixture.arrive(GroupFixture.asking(spec("A", "orders"), "range"));
        for (int i = 0; i < 30; i++) {
            fixture.arrive(GroupFixture.asking(spec("B" + i, "orders"), "range"));
        }
        int moves =
                fixture.group.history().stream().mapToInt(g -> g.moves().size()).sum();
        assertThat(moves).isLessThanOrEqualTo(History.MOVES_MAX);
        assertThat(fixture.group.history()).hasSizeLessThan(31);
        assertThat(GroupJson.replay(Group.empty(), GroupJson.snapshot(fixture.group, 5, GroupFixture.HOST)))
                .isEqualTo(fixture.group);
    }

    @Test
    void durationsOfAnyLengthAreKept() {
        MemberSpec odd = spec("A", "orders");
        odd = new MemberSpec(
                odd.id(),
                odd.instance(),
                odd.client(),
                odd.host(),
                odd.address(),
                odd.subscription(),
                new Timing(Duration.ofNanos(1), Duration.ofDays(400).plusMillis(7)),
                odd.assignor());
        fixture.join(odd);
        assertThat(fixture.member("A").spec()).isEqualTo(odd);
    }

    @Test
    void aLineOfAnotherVersionIsRefusedWithAHint() {
        for (String line : List.of(
                "{\"v\":2,\"at\":5,\"by\":\"h1\",\"events\":[]}", "{\"v\":2,\"snapshot\":{},\"at\":5,\"by\":\"h1\"}")) {
            assertThatThrownBy(() -> GroupJson.replay(Group.empty(), line))
                    .isInstanceOfSatisfying(MusterException.class, e -> {
                        assertThat(e)
                                .hasMessage("the group's journal has a line of version 2, this program knows version 1"
                                        + " only");
                        assertThat(e.hint()).contains("use the version of Muster that wrote it, or a newer one");
                    });
        }
        assertThat(GroupJson.isSnapshot("{\"v\":22,\"snapshot\":{}}")).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{}                                                             | line: \"v\" is missing",
                "[]                                                             | line is not an object",
                "{\"v\":1,\"at\":1,\"by\":\"h\",\"events\":[],\"x\":1}          | line: \"x\" is unknown",
                "{\"v\":1,\"at\":\"1\",\"by\":\"h\",\"events\":[]}              | line: \"at\" is not a whole number",
                "{\"v\":1,\"at\":1,\"by\":\"\",\"events\":[]}                   | a host id is not empty",
                "{\"v\":1,\"at\":1,\"by\":\"h\",\"events\":[7]}                 | event is not an object",
                "{\"v\":1,\"at\":1,\"by\":\"h\",\"events\":[{\"event\":\"x\"}]} | event \"x\" is unknown",
                "{\"v\":1,\"at\":1,\"by\":\"h\",\"events\":[{\"event\":\"deleted\",\"y\":1}]} | event: \"y\" is"
                        + " unknown",
                "{\"v\":1,\"at\":1,\"by\":\"h\",\"events\":[{\"event\":\"left\",\"member\":\"A\",\"cause\":\"NO\"}]} |"
                        + " cause \"NO\" is unknown",
                "{\"v\":1,\"at\":1,\"by\":\"h\",\"events\":[{\"event\":\"forgotten\",\"partitions\":{\"a\":\"1-x\"}}]}"
                        + " | \"x\" is not the number of a partition",
                "{\"v\":1,\"at\":1,\"by\":\"h\",\"events\":[{\"event\":\"forgotten\",\"partitions\":{\"a\":\"0-2000000000\"}}]}"
                    + " | 0-2000000000 are too many partitions",
                "{\"v\":1,\"at\":1,\"by\":\"h\",\"events\":[{\"event\":\"reset\",\"offsets\":{\"a\":{\"0\":-1}}}]} |"
                        + " an offset is not negative: -1",
                "{\"v\":1,\"at\":1,\"by\":\"h\",\"events\":[{\"event\":\"reset\",\"offsets\":{\"a\":{\"0\":[1]}}}]} |"
                        + " an offset is not a number or a list",
                "{\"v\":1,\"at\":1,\"by\":\"h\",\"events\":[{\"event\":\"left\",\"member\":\"A\",\"cause\":\"LEFT\"}]}"
                        + " | an event names member A, which is not in the group",
            })
    void anInvalidFieldIsRefusedByName(String line, String problem) {
        assertThatThrownBy(() -> GroupJson.replay(Group.empty(), line))
                .isInstanceOfSatisfying(MusterException.class, e -> {
                    assertThat(e).hasMessage("a line of a group's journal cannot be understood: " + problem);
                    assertThat(e.hint()).isPresent();
                });
    }

    @Test
    void aLineThatIsNotJsonIsRefused() {
        assertThatThrownBy(() -> GroupJson.replay(Group.empty(), "{\"v\":1,"))
                .isInstanceOf(MusterException.class)
                .hasMessageContaining("not JSON");
    }
}
