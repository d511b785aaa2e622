package dev.muster.engine.group.remote;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.MemberId;
import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import dev.muster.core.TopicSettings;
import dev.muster.core.group.Group;
import dev.muster.core.group.classic.ClassicCommand;
import dev.muster.core.group.classic.ClassicReply;
import dev.muster.core.group.classic.ClassicState;
import dev.muster.core.group.command.Reply;
import dev.muster.core.group.model.Commit;
import dev.muster.core.group.model.CommittedOffset;
import dev.muster.core.group.model.Generation;
import dev.muster.core.group.model.GroupName;
import dev.muster.core.group.model.Opaque;
import dev.muster.core.group.model.Protocol;
import dev.muster.core.group.model.Subscription;
import dev.muster.core.group.model.Timing;
import dev.muster.engine.admin.AdminAnswer;
import dev.muster.engine.admin.GroupStatus;
import dev.muster.engine.admin.GroupSummary;
import dev.muster.engine.admin.ServedGroups;
import dev.muster.engine.group.FaultyStore;
import dev.muster.engine.group.SimulatedWorld;
import dev.muster.engine.group.SimulatedWorld.SimulatedProcess;
import dev.muster.engine.group.WireConsumer;
import dev.muster.engine.group.member.GroupMember;
import dev.muster.engine.group.member.MemberOptions;
import dev.muster.engine.group.session.ClassicConfig;
import dev.muster.engine.group.session.ClassicRequest;
import dev.muster.engine.group.session.ClassicRequest.Identity;
import dev.muster.store.StoreIoException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The service of classic members, in simulated time. */
class ClassicProtocolTest {
    private static final String GROUP = "billing";
    private static final TopicName ORDERS = new TopicName("orders");
    private static final Duration SESSION = WireConsumer.SESSION;

    private final SimulatedWorld world = newWorld();
    private final SimulatedProcess process = world.process();
    private final ClassicProtocol server = new ClassicProtocol(process.groups, ClassicConfig.DEFAULT);
    private final ServedGroups groups = new ServedGroups(process.groups);
    private final List<WireConsumer> consumers = new ArrayList<>();

    /** The processes of the test. Another test class runs the same tests on another kind of store. */
    SimulatedWorld newWorld() {
        return new SimulatedWorld();
    }

    @BeforeEach
    void topic() {
        world.topic("orders", 4);
    }

    @AfterEach
    void close() {
        world.close();
    }

    private WireConsumer consumer(String name) {
        return consumer(name, Optional.empty());
    }

    private WireConsumer consumer(String name, Optional<String> instance) {
        WireConsumer consumer = new WireConsumer(server, GROUP, name, instance);
        consumers.add(consumer);
        return consumer;
    }

    /** Lets time pass, while all consumers run. */
    private void pass(Duration time) {
        for (long end = world.now() + time.toNanos(); world.now() - end < 0; ) {
            consumers.forEach(consumer -> consumer.step(world.now()));
            world.pass(Duration.ofMillis(10));
        }
    }

    private Duration passUntil(String what, BooleanSupplier condition) {
        long begin = world.now();
        while (!condition.getAsBoolean()) {
            if (world.now() - begin > Duration.ofMinutes(10).toNanos()) {
                throw new AssertionError("never happened: " + what);
            }
            pass(Duration.ofMillis(10));
        }
        return Duration.ofNanos(world.now() - begin);
    }

    private boolean allStable() {
        return consumers.stream().allMatch(WireConsumer::stable)
                && consumers.stream()
                                .mapToLong(consumer -> consumer.generation)
                                .distinct()
                                .count()
                        <= 1
                && group().classic().state() == ClassicState.STABLE;
    }

    private Group group() {
        return group(process);
    }

    private static Group group(SimulatedProcess seenBy) {
        return seenBy.groups.open(new GroupName(GROUP)).newest().group();
    }

    private <T> T now(CompletableFuture<T> answer) {
        world.settle();
        assertThat(answer).isDone();
        return answer.join();
    }

    // Simultaneous joins

    /** Otherwise the late join would start a rebalance without the live member, and its partitions would move. */
    @Test
    void aLateJoinOverAnOlderConnectionStartsNoRebalance() {
        WireConsumer leader = consumer("A");
        passUntil("alone", this::allStable);
        leader.connect(server);
        consumer("B");
        passUntil("both", () -> allStable() && consumers.getLast().stable());
        long generation = group().generation();
        assertThat(now(leader.lateJoin())).isInstanceOf(ClassicReply.RebalanceInProgress.class);
        assertThat(group().classic().state()).isEqualTo(ClassicState.STABLE);
        assertThat(group().generation()).isEqualTo(generation);
    }

    @Test
    void simultaneousMembersAreOneGenerationSoon() {
        consumer("A");
        consumer("B");
        consumer("C");
        Duration took = passUntil("all stable", this::allStable);
        assertThat(took).isLessThan(Duration.ofMillis(200));
        assertThat(group().generation()).isEqualTo(1);
        assertThat(group().classic().members()).hasSize(3);
        assertThat(consumers).extracting(consumer -> consumer.assignment).doesNotHaveDuplicates();
        assertThat(group().owners()).hasSize(4);
        assertThat(group().history()).extracting(Generation::cause).containsExactly("A, B and C joined");
    }

    @Test
    void endlessJoinsAreSettledAfterTheLimit() {
        WireConsumer first = consumer("A");
        int more = 0;
        long begin = world.now();
        while (first.generation < 0) {
            consumer("B" + more++);
            pass(Duration.ofMillis(30));
        }
        Duration took = Duration.ofNanos(world.now() - begin);
        assertThat(took).isBetween(Duration.ofMillis(2_990), Duration.ofMillis(3_100));
    }

    @Test
    void withoutASettleTimeAJoinIsAnsweredAtOnce() {
        ClassicConfig config = new ClassicConfig(
                SESSION, SESSION, 1, Duration.ofMillis(50), Duration.ZERO, Duration.ofMinutes(5), Optional.empty());
        WireConsumer alone =
                new WireConsumer(new ClassicProtocol(process.groups, config), GROUP, "A", Optional.empty());
        for (int i = 0; i < 8; i++) {
            alone.step(world.now());
            world.settle();
        }
        assertThat(alone.stable()).isTrue();
    }

    @Test
    void aNewMemberIsIncludedWhenAllHaveJoinedAgain() {
        WireConsumer a = consumer("A");
        passUntil("A stable", this::allStable);
        WireConsumer b = consumer("B");
        pass(Duration.ofMillis(500));
        assertThat(b.stable()).as("A has not received of it").isFalse();
        Duration took = passUntil("both stable", this::allStable);
        assertThat(took).as("with A's next heartbeat").isLessThan(Duration.ofSeconds(3));
        assertThat(a.generation).isEqualTo(2);
        assertThat(a.generations).isEqualTo(2);
        assertThat(b.generations).isEqualTo(1);
    }

    @Test
    void aLeavingMemberIsReplacedWithTheNextHeartbeats() {
        consumer("A");
        WireConsumer b = consumer("B");
        passUntil("both stable", this::allStable);
        consumers.remove(b);
        assertThat(now(b.leave())).containsExactly(new ClassicReply.Done());
        passUntil("A has it all", () -> allStable() && group().generation() == 2);
        assertThat(group().history().getLast().cause()).isEqualTo("B left (bye)");
    }

    // Deadlines

    @Test
    void onlyTheMemberSilentForItsSessionIsExpelled() {
        WireConsumer a = consumer("A");
        WireConsumer b = consumer("B");
        passUntil("both stable", this::allStable);
        consumers.remove(b);
        long begin = world.now();
        passUntil("B out", () -> group().classic().members().size() == 1);
        // Its last sign of life was up to one heartbeat before.
        assertThat(Duration.ofNanos(world.now() - begin)).isBetween(Duration.ofSeconds(6), Duration.ofSeconds(11));
        passUntil("A has it all", this::allStable);
        pass(Duration.ofMinutes(2));
        assertThat(a.generations).isEqualTo(2);
        assertThat(group().history().getLast().cause()).isEqualTo("B gave no sign of life for a whole session");
    }

    /** @return the time until the consumer is expelled */
    private Duration loseConnection(WireConsumer consumer) {
        consumers.remove(consumer);
        server.hungUp(consumer.connection());
        return passUntil(
                consumer.name + " is out", () -> group().classic().members().size() == consumers.size());
    }

    @Test
    void aFalseAlarmGivesTheNextIdALongerGrace() {
        WireConsumer a = consumer("A");
        consumer("B");
        a.connect(server);
        passUntil("all stable", this::allStable);
        pass(Duration.ofSeconds(9));
        Duration first = loseConnection(a);
        assertThat(first).isLessThan(Duration.ofMillis(3600));
        String before = a.id;
        a.connect(server);
        consumers.add(a);
        passUntil("all stable again", this::allStable);
        assertThat(a.id).isNotEqualTo(before);
        assertThat(group().falseAlarms().count()).isEqualTo(1);
        assertThat(group().falseAlarms().last().getFirst().member().value()).isEqualTo(before);
        pass(Duration.ofSeconds(9));
        assertThat(loseConnection(a)).isBetween(Duration.ofMillis(3900), Duration.ofMillis(7200));
        assertThat(group().falseAlarms().count())
                .as("it is dead, for all we know")
                .isEqualTo(1);
    }

    @Test
    void aMemberDisconnectedBeforeItsFirstHeartbeatIsOutSoon() {
        WireConsumer a = consumer("A");
        consumer("B");
        a.connect(server);
        passUntil("all stable", this::allStable);
        assertThat(loseConnection(a)).isLessThan(Duration.ofMillis(3600));
    }

    @Test
    void aCommitAfterAnExpulsionForDisconnectIsAFalseAlarm() {
        WireConsumer a = consumer("A");
        consumer("B");
        a.connect(server);
        passUntil("all stable", this::allStable);
        pass(Duration.ofSeconds(9));
        loseConnection(a);
        SortedMap<TopicPartition, CommittedOffset> offsets = new TreeMap<>();
        offsets.put(new TopicPartition(ORDERS, 0), new CommittedOffset(1));
        for (int i = 0; i < 2; i++) {
            assertThat(now(server.commit(GROUP, a.identity(), offsets))).isInstanceOf(ClassicReply.UnknownMember.class);
            world.settle();
        }
        assertThat(group().falseAlarms().count()).isEqualTo(1);
        assertThat(group().offsets()).isEmpty();
    }

    @Test
    void commitsAreSignsOfLife() {
        WireConsumer a = consumer("A");
        passUntil("stable", this::allStable);
        consumers.clear();
        for (int i = 0; i < 20; i++) {
            world.pass(Duration.ofSeconds(5));
            assertThat(now(a.commit(0, i))).isEqualTo(new ClassicReply.Done());
        }
        world.pass(Duration.ofSeconds(11));
        assertThat(group().classic().state()).isEqualTo(ClassicState.EMPTY);
    }

    @Test
    void aParkedRequestIsASignOfLifeExceptOfANewMember() {
        WireConsumer a = consumer("A", Optional.of("east"));
        passUntil("stable", this::allStable);
        // A is static: it keeps its place and does not return; the test's heartbeats keep its session alive.
        consumers.remove(a);
        WireConsumer b = consumer("B");
        for (int i = 0; i < 4; i++) {
            pass(Duration.ofSeconds(5));
            now(server.heartbeat(GROUP, a.identity(), 1));
        }
        assertThat(group().classic().members())
                .as("B waits for longer than its session")
                .hasSize(2);
        assertThat(b.stable()).as("until the rebalance has had its time").isFalse();
        passUntil("B stable", b::stable);
        assertThat(group().classic().members()).as("A has its place").hasSize(2);
    }

    @Test
    void aNewMemberThatWaitsTooLongIsExpelled() {
        ClassicConfig config = new ClassicConfig(
                SESSION,
                SESSION,
                10,
                Duration.ofMillis(50),
                Duration.ofMinutes(9),
                Duration.ofSeconds(5),
                Optional.empty());
        ClassicProtocol slow = new ClassicProtocol(process.groups, config);
        CompletableFuture<ClassicReply.JoinAnswer> first = slow.join(GROUP, request("", "A", false));
        world.settle();
        world.pass(Duration.ofMillis(60));
        assertThat(now(first)).isInstanceOf(ClassicReply.Joined.class);
        var second = slow.join(GROUP, request("", "B", false));
        world.pass(Duration.ofSeconds(4));
        assertThat(second).isNotDone();
        world.pass(Duration.ofSeconds(2));
        assertThat(now(second)).isInstanceOf(ClassicReply.UnknownMember.class);
    }

    @Test
    void aServerThatWasSuspendedExpelsNoMember() {
        consumer("A");
        consumer("B");
        passUntil("both stable", this::allStable);
        world.sleep(Duration.ofMinutes(5));
        pass(Duration.ofMinutes(1));
        assertThat(group().generation()).isEqualTo(1);
        assertThat(consumers).allMatch(WireConsumer::stable);
    }

    @Test
    void aMemberThatMissesARebalanceIsExpelled() {
        WireConsumer a = consumer("A");
        passUntil("stable", this::allStable);
        consumers.remove(a);
        WireConsumer b = consumer("B");
        long begin = world.now();
        while (!b.stable()) {
            pass(Duration.ofSeconds(1));
            // The member sends heartbeats and never joins: it is expelled although it lives.
            now(server.heartbeat(GROUP, a.identity(), 1));
        }
        assertThat(Duration.ofNanos(world.now() - begin)).isBetween(Duration.ofSeconds(19), Duration.ofSeconds(22));
        assertThat(now(server.heartbeat(GROUP, a.identity(), 1))).isInstanceOf(ClassicReply.UnknownMember.class);
    }

    @Test
    void aLeaderThatNeverAssignsIsExpelled() {
        var joins = List.of(server.join(GROUP, request("", "A", false)), server.join(GROUP, request("", "B", false)));
        world.settle();
        world.pass(Duration.ofMillis(60));
        var leader = (ClassicReply.Joined) now(joins.get(0));
        var follower = (ClassicReply.Joined) now(joins.get(1));
        var sync = server.sync(GROUP, sync(follower));
        for (int i = 0; i < 19; i++) {
            world.pass(Duration.ofSeconds(1));
            now(server.heartbeat(GROUP, identity(leader), 1));
            assertThat(sync).isNotDone();
        }
        world.pass(Duration.ofSeconds(2));
        assertThat(now(sync)).isInstanceOf(ClassicReply.RebalanceInProgress.class);
        assertThat(now(server.heartbeat(GROUP, identity(leader), 1))).isInstanceOf(ClassicReply.UnknownMember.class);
    }

    private static Identity identity(ClassicReply.Joined joined) {
        return new Identity(joined.member().value(), Optional.empty(), joined.generation());
    }

    private static ClassicRequest.Sync sync(ClassicReply.Joined joined) {
        return new ClassicRequest.Sync(
                identity(joined),
                new ClassicCommand.SyncContent(
                        Optional.empty(), Optional.empty(), new TreeMap<>(), new TreeMap<>(), true));
    }

    private static ClassicRequest.Join request(String member, String name, boolean idRequired) {
        return new ClassicRequest.Join(
                member,
                Optional.empty(),
                name,
                "/127.0.0.1",
                SESSION,
                Duration.ofSeconds(20),
                "consumer",
                List.of(new Protocol("range", Opaque.EMPTY)),
                Optional.empty(),
                idRequired,
                true,
                "",
                1);
    }

    @Test
    void aRepeatedJoinIsAnsweredOnce() {
        var required = (ClassicReply.MemberIdRequired) now(server.join(GROUP, request("", "A", true)));
        String id = required.member().value();
        assertThat(id).startsWith("A-");
        var lost = server.join(GROUP, request(id, "A", true));
        world.settle();
        var again = server.join(GROUP, request(id, "A", true));
        world.settle();
        assertThat(now(lost)).isInstanceOf(ClassicReply.RebalanceInProgress.class);
        world.pass(Duration.ofMillis(60));
        assertThat(now(again)).isInstanceOf(ClassicReply.Joined.class);
        assertThat(group().classic().members()).hasSize(1);
    }

    @Test
    void anUnusedMemberIdIsDropped() {
        var required = (ClassicReply.MemberIdRequired) now(server.join(GROUP, request("", "A", true)));
        world.pass(Duration.ofSeconds(11));
        assertThat(group().classic().pendingIds()).isEmpty();
        assertThat(now(server.join(GROUP, request(required.member().value(), "A", true))))
                .isInstanceOf(ClassicReply.UnknownMember.class);
    }

    // Server changes

    @Test
    void theNextServerAdoptsAllMembers() {
        consumer("A");
        WireConsumer b = consumer("B");
        WireConsumer gone = consumer("C");
        passUntil("stable", this::allStable);
        assertThat(now(b.commit(1, 42))).isEqualTo(new ClassicReply.Done());
        process.kill();
        world.sleep(Duration.ofSeconds(2));
        SimulatedProcess second = world.process();
        ClassicProtocol next = new ClassicProtocol(second.groups, ClassicConfig.DEFAULT);
        next.adoptOrphans();
        consumers.remove(gone);
        consumers.forEach(consumer -> consumer.connect(next));
        pass(Duration.ofSeconds(9));
        assertThat(group(second).generation()).isEqualTo(1);
        assertThat(consumers).allMatch(WireConsumer::stable);
        assertThat(now(b.commit(1, 43))).isEqualTo(new ClassicReply.Done());
        assertThat(now(new ServedGroups(second.groups).offsets(GROUP))).containsOnlyKeys(new TopicPartition(ORDERS, 1));
        assertThat(group(second).classic().members().values())
                .allMatch(member -> member.spec().host().equals(second.groups.self()));
        pass(Duration.ofSeconds(3));
        assertThat(group(second).classic().members()).as("C never came back").hasSize(2);
        passUntil(
                "goes on",
                () -> consumers.stream().allMatch(consumer -> consumer.stable() && consumer.generation == 2));
    }

    /** The next server does not know the member's last heartbeat, and without a server the member could send none. */
    @Test
    void aStaticMemberOfADeadServerHasOneSessionFromItsAdoption() {
        WireConsumer a = consumer("A", Optional.of("east"));
        WireConsumer b = consumer("B", Optional.of("west"));
        passUntil("stable", this::allStable);
        pass(Duration.ofSeconds(4));
        process.kill();
        world.sleep(Duration.ofSeconds(5));
        SimulatedProcess second = world.process();
        ClassicProtocol next = new ClassicProtocol(second.groups, ClassicConfig.DEFAULT);
        next.adoptOrphans();
        consumers.remove(b);
        a.connect(next);
        Duration took =
                passUntil("B is out", () -> group(second).classic().members().size() == 1);
        assertThat(took).isBetween(SESSION.minusMillis(100), SESSION.plusMillis(500));
        passUntil("A has it all", () -> a.stable() && a.generation == 2);
        assertThat(group(second).history().getLast().cause())
                .isEqualTo("west gave no sign of life for a whole session");
    }

    @Test
    void aRebalanceContinuesAtTheNextServer() {
        WireConsumer a = consumer("A");
        passUntil("stable", this::allStable);
        consumers.remove(a);
        consumer("B");
        pass(Duration.ofSeconds(1));
        assertThat(group().classic().state()).isEqualTo(ClassicState.PREPARING_REBALANCE);
        process.kill();
        SimulatedProcess second = world.process();
        ClassicProtocol next = new ClassicProtocol(second.groups, ClassicConfig.DEFAULT);
        next.adoptOrphans();
        consumers.add(a);
        consumers.forEach(consumer -> consumer.connect(next));
        passUntil("both stable", () -> consumers.stream().allMatch(WireConsumer::stable));
        assertThat(group(second).generation()).isEqualTo(2);
        assertThat(group(second).classic().members()).hasSize(2);
    }

    @Test
    void membersOfADeadServerKeepTheirPlaceForOneSession() {
        SimulatedProcess second = world.process();
        ClassicProtocol other = new ClassicProtocol(second.groups, ClassicConfig.DEFAULT);
        WireConsumer a = consumer("A");
        WireConsumer b = consumer("B");
        b.connect(other);
        passUntil("stable", this::allStable);
        process.kill();
        consumers.remove(a);
        pass(Duration.ofSeconds(9));
        assertThat(group(second).classic().members()).hasSize(2);
        assertThat(group(second).classic().hasAwayMember()).isTrue();
        pass(Duration.ofSeconds(2));
        assertThat(group(second).classic().members()).hasSize(1);
        passUntil("B has it all", () -> b.stable() && b.generation == 2);
    }

    @Test
    void membersOfASuspendedServerAreExpelledAfterTheirSession() {
        SimulatedProcess second = world.process();
        ClassicProtocol other = new ClassicProtocol(second.groups, ClassicConfig.DEFAULT);
        WireConsumer a = consumer("A");
        WireConsumer b = consumer("B");
        b.connect(other);
        passUntil("stable", this::allStable);
        process.stop();
        consumers.remove(a);
        pass(Duration.ofSeconds(8));
        assertThat(group(second).classic().members()).hasSize(2);
        passUntil("A out", () -> group(second).classic().members().size() == 1);
        process.goOn();
        passUntil("B has it all", () -> b.stable() && b.generation == 2);
        a.connect(server);
        consumers.add(a);
        passUntil("A is back", () -> a.stable() && b.stable() && a.generation == b.generation);
    }

    @Test
    void anEmbeddedConsumerIsRefusedWhileAClassicMemberIsUnreadable() {
        var joined = server.join(GROUP, request("", "A", false));
        world.pass(Duration.ofMillis(60));
        assertThat(now(joined)).isInstanceOf(ClassicReply.Joined.class);
        SimulatedProcess second = world.process();
        GroupMember embedded = new GroupMember(
                second.groups,
                new MemberOptions(
                        new GroupName(GROUP),
                        Optional.empty(),
                        "M",
                        new Subscription(new TreeSet<>(Set.of(ORDERS)), Optional.empty()),
                        Timing.DEFAULT,
                        Duration.ofSeconds(5),
                        Duration.ofMinutes(5),
                        "sticky"),
                () -> {});
        assertThat(embedded.join()).isInstanceOf(Reply.ClassicMembers.class);
        process.kill();
        consumers.clear();
        assertThat(embedded.join()).isInstanceOf(Reply.ClassicMembers.class);
        world.pass(Duration.ofSeconds(11));
        assertThat(embedded.join()).isInstanceOf(Reply.Joined.class);
        ClassicProtocol other = new ClassicProtocol(second.groups, ClassicConfig.DEFAULT);
        assertThat(now(other.join(GROUP, request("", "A", true))))
                .isInstanceOf(ClassicReply.InconsistentProtocol.class);
        assertThat(new ServedGroups(second.groups).describe(GROUP).orElseThrow().modern())
                .isTrue();
    }

    @Test
    void aStoppingServerRefusesParkedRequests() {
        WireConsumer a = consumer("A");
        passUntil("stable", this::allStable);
        consumers.remove(a);
        var waits = server.join(GROUP, request("", "B", false));
        world.settle();
        assertThat(waits).isNotDone();
        server.close();
        assertThat(now(waits)).isInstanceOf(ClassicReply.Unavailable.class);
    }

    // Static members

    @Test
    void aRestartedStaticMemberKeepsItsAssignment() {
        WireConsumer a = consumer("A", Optional.of("east"));
        WireConsumer b = consumer("B", Optional.of("west"));
        passUntil("stable", this::allStable);
        String before = a.assignment;
        String oldId = a.id;
        pass(Duration.ofSeconds(4));
        a.restart();
        passUntil("A is back", a::stable);
        assertThat(a.assignment).isEqualTo(before);
        assertThat(a.id).isNotEqualTo(oldId).startsWith("east-");
        assertThat(b.generations).isEqualTo(1);
        assertThat(now(server.heartbeat(GROUP, new Identity(oldId, Optional.of("east"), 1), 1)))
                .isInstanceOf(ClassicReply.FencedInstance.class);
    }

    @Test
    void aDisconnectedStaticMemberIsOutOneSessionAfterItsLastHeartbeat() {
        WireConsumer a = consumer("A", Optional.of("east"));
        a.connection = 7;
        WireConsumer b = consumer("B");
        passUntil("stable", this::allStable);
        String before = a.assignment;
        pass(Duration.ofSeconds(4));
        consumers.remove(a);
        server.hungUp(a.connection);
        pass(Duration.ofSeconds(8));
        assertThat(group().generation()).isEqualTo(1);
        consumers.add(a);
        a.restart();
        passUntil("A is back", a::stable);
        assertThat(a.assignment).isEqualTo(before);
        assertThat(b.generations).isEqualTo(1);

        pass(Duration.ofSeconds(4));
        consumers.remove(a);
        server.hungUp(a.connection);
        Duration took = passUntil("A is out", () -> group().classic().members().size() == 1);
        // Its last heartbeat was up to one heartbeat interval before the end of the connection.
        assertThat(took).isBetween(SESSION.minus(a.heartbeat), SESSION.plus(Duration.ofMillis(100)));
        passUntil("B has it all", () -> group().generation() == 2 && allStable());
        assertThat(group().history().getLast().cause()).isEqualTo("east gave no sign of life for a whole session");
    }

    // Offsets and descriptions

    @Test
    void anUnreadableGroupDoesNotHideOtherGroups() {
        FaultyStore[] faulty = new FaultyStore[1];
        SimulatedProcess other = world.process(real -> faulty[0] = new FaultyStore(real));
        ClassicProtocol door = new ClassicProtocol(other.groups, ClassicConfig.DEFAULT);
        now(door.commit("audit", Identity.NO_MEMBER, offset(0, 1)));
        now(door.commit(GROUP, Identity.NO_MEMBER, offset(0, 1)));
        faulty[0].journal(new GroupName("audit")).beforeLook(() -> {
            throw new StoreIoException("a line that nobody can read", null);
        });
        assertThat(new ServedGroups(other.groups).list())
                .extracting(summary -> summary.name().value())
                .containsExactly(GROUP);
    }

    private static SortedMap<TopicPartition, CommittedOffset> offset(int partition, long offset) {
        SortedMap<TopicPartition, CommittedOffset> offsets = new TreeMap<>();
        offsets.put(new TopicPartition(ORDERS, partition), new CommittedOffset(offset, 2, "note"));
        return offsets;
    }

    @Test
    void aNonMemberCommitsToAGroupWithoutMembers() {
        assertThat(groups.describe(GROUP)).isEmpty();
        assertThat(now(server.commit(GROUP, new Identity("A", Optional.empty(), 3), offset(0, 1))))
                .isInstanceOf(ClassicReply.IllegalGeneration.class);
        assertThat(now(server.commit(GROUP, Identity.NO_MEMBER, offset(0, 7)))).isEqualTo(new ClassicReply.Done());
        assertThat(groups.list())
                .extracting(summary -> summary.name().value(), GroupSummary::state, GroupSummary::protocolType)
                .containsExactly(org.assertj.core.groups.Tuple.tuple(GROUP, GroupStatus.EMPTY, ""));
        Commit commit = now(groups.offsets(GROUP)).get(new TopicPartition(ORDERS, 0));
        assertThat(commit.offset()).isEqualTo(new CommittedOffset(7, 2, "note"));
        consumer("A");
        passUntil("stable", this::allStable);
        assertThat(now(server.commit(GROUP, Identity.NO_MEMBER, offset(0, 8))))
                .isInstanceOf(ClassicReply.UnknownMember.class);
        assertThat(now(server.commit(GROUP, new Identity("", Optional.of("east"), -1), offset(0, 8))))
                .isInstanceOf(ClassicReply.UnknownMember.class);
    }

    @Test
    void offsetsOfARecreatedTopicAreGone() {
        now(server.commit(GROUP, Identity.NO_MEMBER, offset(0, 7)));
        world.store().delete(ORDERS);
        assertThat(now(groups.offsets(GROUP))).isEmpty();
        world.store().create(ORDERS, 2, TopicSettings.DEFAULT);
        assertThat(now(groups.offsets(GROUP))).isEmpty();
        now(server.commit(GROUP, Identity.NO_MEMBER, offset(1, 3)));
        assertThat(now(groups.offsets(GROUP))).containsOnlyKeys(new TopicPartition(ORDERS, 1));
    }

    @Test
    void offsetsOfReadTopicsAreKeptAndOthersDeleted() {
        world.topic("old", 1);
        TopicPartition old = TopicPartition.of("old", 0);
        TopicPartition read = new TopicPartition(ORDERS, 0);
        SortedMap<TopicPartition, CommittedOffset> both = offset(0, 7);
        both.put(old, new CommittedOffset(1));
        now(server.commit(GROUP, Identity.NO_MEMBER, both));
        consumer("A");
        passUntil("stable", this::allStable);
        ServedGroups.Forgotten forgotten = now(groups.forget(GROUP, Set.of(read, old)));
        assertThat(forgotten.refusal()).isEmpty();
        assertThat(forgotten.read()).containsExactly(read);
        assertThat(now(groups.offsets(GROUP))).containsOnlyKeys(read);
        assertThat(now(groups.forget("nobody", Set.of(old))).refusal().orElseThrow())
                .isInstanceOf(AdminAnswer.NoSuchGroup.class);
    }

    @Test
    void anEmptyGroupAcceptsCommitsWithoutAGeneration() {
        Identity other = new Identity("", Optional.of("east"), -1);
        assertThat(now(server.commit(GROUP, other, offset(0, 7)))).isEqualTo(new ClassicReply.Done());
        consumer("A");
        passUntil("stable", this::allStable);
        assertThat(now(server.commit(GROUP, other, offset(0, 8)))).isInstanceOf(ClassicReply.UnknownMember.class);
    }

    @Test
    void anEmptyGroupIsDescribedAndDeleted() {
        WireConsumer a = consumer("A");
        passUntil("stable", this::allStable);
        GroupSummary summary = groups.describe(GROUP).orElseThrow();
        assertThat(summary.state()).isEqualTo(GroupStatus.STABLE);
        assertThat(summary.protocol()).isEqualTo("range");
        assertThat(summary.members()).singleElement().satisfies(member -> {
            assertThat(member.client()).isEqualTo("A");
            assertThat(member.assignment().isEmpty()).isFalse();
            assertThat(member.metadata().toBytes()).isEqualTo(new byte[] {'A'});
        });
        assertThat(now(groups.delete(GROUP))).isInstanceOf(AdminAnswer.GroupInUse.class);
        consumers.clear();
        now(a.leave());
        assertThat(groups.describe(GROUP).orElseThrow().state()).isEqualTo(GroupStatus.EMPTY);
        assertThat(now(groups.delete(GROUP))).isEqualTo(new AdminAnswer.Done());
        assertThat(groups.describe(GROUP)).isEmpty();
        assertThat(groups.list()).isEmpty();
        assertThat(now(groups.delete(GROUP))).isInstanceOf(AdminAnswer.NoSuchGroup.class);
        consumer("B");
        passUntil("it begins anew", this::allStable);
        assertThat(group().generation()).isEqualTo(1);
    }

    @Test
    void invalidRequestsAreRefusedByName() {
        assertThat(now(server.join("", request("", "A", true)))).isInstanceOf(ClassicReply.InvalidGroup.class);
        assertThat(now(server.join(GROUP, request("A-1", "A", true)))).isInstanceOf(ClassicReply.UnknownMember.class);
        assertThat(now(server.heartbeat(GROUP, new Identity("A", Optional.empty(), 1), 1)))
                .isInstanceOf(ClassicReply.UnknownMember.class);
        assertThat(now(server.leave(
                        GROUP,
                        List.of(new ClassicCommand.Leaver(Optional.of(new MemberId("A")), Optional.empty(), "")))))
                .hasOnlyElementsOfType(ClassicReply.UnknownMember.class);
        for (Duration session : Arrays.asList(Duration.ofSeconds(5), Duration.ofHours(1))) {
            ClassicRequest.Join join = new ClassicRequest.Join(
                    "",
                    Optional.empty(),
                    "A",
                    "/127.0.0.1",
                    session,
                    session,
                    "consumer",
                    List.of(new Protocol("range", Opaque.EMPTY)),
                    Optional.empty(),
                    true,
                    true,
                    "",
                    1);
            assertThat(now(server.join(GROUP, join))).isInstanceOf(ClassicReply.InvalidSession.class);
        }
        assertThat(process.groups.list()).as("nothing was made").isEmpty();
    }
}
