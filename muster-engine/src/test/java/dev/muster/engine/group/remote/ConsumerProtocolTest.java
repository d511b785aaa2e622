package dev.muster.engine.group.remote;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.MemberId;
import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.Group;
import dev.muster.core.group.command.Command;
import dev.muster.core.group.model.CommittedOffset;
import dev.muster.core.group.model.Expectation;
import dev.muster.core.group.model.GroupName;
import dev.muster.engine.admin.ServedGroups;
import dev.muster.engine.group.RemoteConsumer;
import dev.muster.engine.group.SimulatedWorld;
import dev.muster.engine.group.SimulatedWorld.SimulatedProcess;
import dev.muster.engine.group.remote.RemoteAnswer.Refused;
import dev.muster.engine.group.remote.RemoteAnswer.Why;
import dev.muster.engine.group.session.ClassicConfig;
import dev.muster.engine.group.session.RemoteConfig;
import dev.muster.engine.group.session.RemoteHeartbeat;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The service of remote modern members, in simulated time. */
public class ConsumerProtocolTest {
    private static final String GROUP = "billing";
    private static final TopicName ORDERS = new TopicName("orders");

    private final SimulatedWorld world = newWorld();
    private final SimulatedProcess process = world.process();
    private final ConsumerProtocol server = new ConsumerProtocol(process.groups, RemoteConfig.DEFAULT);
    private final List<RemoteConsumer> consumers = new ArrayList<>();
    private long connections;

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

    private RemoteConsumer consumer(String name) {
        return consumer(name, Optional.empty());
    }

    private RemoteConsumer consumer(String name, Optional<String> instance) {
        RemoteConsumer consumer = new RemoteConsumer(server, name, ++connections, instance);
        consumers.add(consumer);
        return consumer;
    }

    private void pass(Duration time) {
        for (long end = world.now() + time.toNanos(); world.now() - end < 0; ) {
            consumers.forEach(consumer -> consumer.step(GROUP, world.now()));
            world.pass(Duration.ofMillis(10));
        }
    }

    private Duration passUntil(String what, BooleanSupplier condition) {
        long begin = world.now();
        while (!condition.getAsBoolean()) {
            if (world.now() - begin > Duration.ofMinutes(10).toNanos()) {
                throw new AssertionError("never happened: " + what + ": " + group());
            }
            pass(Duration.ofMillis(10));
        }
        return Duration.ofNanos(world.now() - begin);
    }

    private Group group() {
        return process.groups.open(new GroupName(GROUP)).newest().group();
    }

    private <T> T now(CompletableFuture<T> answer) {
        world.settle();
        assertThat(answer).isDone();
        return answer.join();
    }

    private void expectRefusal(RemoteAnswer answer, Why why) {
        assertThat(answer)
                .isInstanceOfSatisfying(
                        Refused.class, refused -> assertThat(refused.why()).isEqualTo(why));
    }

    @Test
    void aLoneMemberGetsAllPartitionsWithItsFirstAnswer() {
        RemoteConsumer a = consumer("A");
        Duration took = passUntil("A works", a::settled);
        assertThat(a.works()).hasSize(4);
        assertThat(a.epoch).isEqualTo(1);
        assertThat(took).isLessThan(Duration.ofMillis(100));
    }

    @Test
    void aPartitionMovesOnlyAfterItsRelease() {
        RemoteConsumer a = consumer("A");
        passUntil("A works", a::settled);
        a.effort = Duration.ofSeconds(3);
        RemoteConsumer b = consumer("B");
        pass(Duration.ofSeconds(2));
        assertThat(a.works()).hasSize(4);
        assertThat(a.epoch).as("it stays where it is until it has let go").isEqualTo(1);
        assertThat(b.works()).isEmpty();
        assertThat(b.epoch).isEqualTo(2);
        passUntil("both work", () -> a.settled() && b.settled());
        assertThat(a.epoch).isEqualTo(2);
        assertThat(a.works()).hasSize(2).doesNotContainAnyElementsOf(b.works());
    }

    @Test
    void aMemberWithLateHeartbeatsGetsALongerInterval() {
        RemoteConsumer a = consumer("A");
        passUntil("A works", a::settled);
        pass(Duration.ofSeconds(2));
        assertThat(((RemoteAnswer.In) a.last).pause()).isEqualTo(Duration.ofMillis(300));
        a.slower = Duration.ofSeconds(1);
        pass(Duration.ofSeconds(10));
        assertThat(((RemoteAnswer.In) a.last).pause()).isGreaterThan(Duration.ofSeconds(1));
        a.slower = Duration.ZERO;
        pass(Duration.ofSeconds(20));
        assertThat(((RemoteAnswer.In) a.last).pause()).isEqualTo(Duration.ofMillis(300));
    }

    @Test
    void heartbeatsAreFrequentDuringAChangeAndRareAfterwards() {
        RemoteConsumer a = consumer("A");
        RemoteConsumer b = consumer("B");
        Duration took = passUntil("both work", () -> a.settled() && b.settled());
        assertThat(took).isLessThan(Duration.ofSeconds(1));
        pass(Duration.ofSeconds(2));
        assertThat(((RemoteAnswer.In) a.last).pause()).isEqualTo(Duration.ofMillis(300));
        assertThat(((RemoteAnswer.In) a.last).partitions())
                .as("nothing new is not told again")
                .isEmpty();
    }

    @Test
    void aMemberSilentForASessionIsExpelledAndJoinsAgain() {
        RemoteConsumer a = consumer("A");
        RemoteConsumer b = consumer("B");
        passUntil("both work", () -> a.settled() && b.settled());
        consumers.remove(a);
        Duration took = passUntil("B has all", () -> b.works().size() == 4);
        assertThat(took).isGreaterThan(RemoteConsumer.SESSION.minusSeconds(1));
        consumers.add(a);
        passUntil(
                "both work again", () -> a.settled() && b.settled() && b.works().size() == 2);
    }

    @Test
    void aDisconnectedMemberIsExpelledAfterTheGrace() {
        RemoteConsumer a = consumer("A");
        RemoteConsumer b = consumer("B");
        passUntil("both work", () -> a.settled() && b.settled());
        pass(Duration.ofSeconds(1));
        consumers.remove(a);
        server.hungUp(a.connection);
        Duration took = passUntil("B has all", () -> b.works().size() == 4);
        assertThat(took).as("from when it is due").isBetween(Duration.ofMillis(480), Duration.ofMillis(1300));
    }

    @Test
    void aFalseAlarmDoublesTheGrace() {
        RemoteConsumer a = consumer("A");
        RemoteConsumer b = consumer("B");
        passUntil("both work", () -> a.settled() && b.settled());
        pass(Duration.ofSeconds(1));
        consumers.remove(a);
        server.hungUp(a.connection);
        passUntil("B has all", () -> b.works().size() == 4);
        a.reconnect(server, ++connections);
        consumers.add(a);
        passUntil("both work again", () -> a.settled() && b.works().size() == 2);
        assertThat(group().falseAlarms().count()).isEqualTo(1);
        assertThat(group().falseAlarms().last().getFirst().member()).isEqualTo(a.id);
        pass(Duration.ofSeconds(1));
        consumers.remove(a);
        server.hungUp(a.connection);
        Duration took = passUntil("B has all", () -> b.works().size() == 4);
        assertThat(took).isBetween(Duration.ofMillis(1250), Duration.ofMillis(2300));
        assertThat(group().falseAlarms().count())
                .as("it is dead, for all we know")
                .isEqualTo(1);
    }

    @Test
    void theNextServerKnowsFalseAlarms() {
        RemoteConsumer a = consumer("A");
        RemoteConsumer b = consumer("B");
        passUntil("both work", () -> a.settled() && b.settled());
        consumers.remove(a);
        server.hungUp(a.connection);
        passUntil("B has all", () -> b.works().size() == 4);
        a.reconnect(server, ++connections);
        consumers.add(a);
        passUntil("both work again", () -> a.settled() && b.works().size() == 2);
        SimulatedProcess second = world.process();
        process.kill();
        new ClassicProtocol(second.groups, ClassicConfig.DEFAULT).adoptOrphans();
        ConsumerProtocol next = new ConsumerProtocol(second.groups, RemoteConfig.DEFAULT);
        consumers.forEach(consumer -> consumer.reconnect(next, ++connections));
        pass(Duration.ofSeconds(2));
        consumers.remove(a);
        next.hungUp(a.connection);
        Duration took = passUntil("B has all", () -> b.works().size() == 4);
        assertThat(took).isBetween(Duration.ofMillis(1250), Duration.ofMillis(2300));
    }

    @Test
    void anExpulsionForSilenceIsNoFalseAlarm() {
        RemoteConsumer a = consumer("A");
        RemoteConsumer b = consumer("B");
        passUntil("both work", () -> a.settled() && b.settled());
        consumers.remove(a);
        passUntil("B has all", () -> b.works().size() == 4);
        consumers.add(a);
        passUntil("both work again", () -> a.settled() && b.works().size() == 2);
        assertThat(group().falseAlarms().count()).isZero();
    }

    @Test
    void aMemberThatReconnectsInTimeKeepsItsPlace() {
        RemoteConsumer a = consumer("A");
        passUntil("A works", a::settled);
        long generation = group().generation();
        server.hungUp(a.connection);
        a.reconnect(server, ++connections);
        pass(Duration.ofSeconds(5));
        assertThat(group().generation()).isEqualTo(generation);
        assertThat(a.works()).hasSize(4);
    }

    /** Sends a heartbeat over a connection that the member has replaced. */
    private RemoteAnswer late(
            RemoteConsumer member, long epoch, long connection, Optional<SortedSet<TopicPartition>> owned) {
        return now(server.beat(
                GROUP,
                new RemoteHeartbeat(
                        Optional.of(member.id),
                        epoch,
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        owned,
                        new RemoteHeartbeat.Caller("late", "/127.0.0.1", connection))));
    }

    @Test
    void aLateLeaveOverAnOlderConnectionIsIgnored() {
        RemoteConsumer a = consumer("A");
        passUntil("A works", a::settled);
        long old = a.connection;
        a.reconnect(server, ++connections);
        pass(Duration.ofSeconds(6));
        expectRefusal(late(a, RemoteHeartbeat.LEAVE, old, Optional.empty()), Why.UNAVAILABLE);
        assertThat(group().members()).containsOnlyKeys(a.id);
    }

    @Test
    void partitionsReportedBeforeADisconnectDoNotCount() {
        RemoteConsumer a = consumer("A");
        passUntil("A works", a::settled);
        long old = a.connection;
        a.reconnect(server, ++connections);
        pass(Duration.ofSeconds(11));
        a.effort = Duration.ofMinutes(1);
        consumer("B");
        pass(Duration.ofSeconds(6));
        expectRefusal(late(a, a.epoch, old, Optional.of(new TreeSet<>())), Why.UNAVAILABLE);
        assertThat(a.works()).hasSize(4);
        assertThat(group().members().get(a.id).owned())
                .as("what A works is its own")
                .hasSize(4);
    }

    @Test
    void aLeavingMemberIsReplacedAtOnce() {
        RemoteConsumer a = consumer("A");
        RemoteConsumer b = consumer("B");
        passUntil("both work", () -> a.settled() && b.settled());
        consumers.remove(a);
        assertThat(now(a.leave(GROUP, RemoteHeartbeat.LEAVE))).isEqualTo(new RemoteAnswer.Out(a.id, -1));
        assertThat(passUntil("B has all", () -> b.works().size() == 4)).isLessThan(Duration.ofMillis(500));
    }

    @Test
    void aReturningStaticMemberGetsItsPartitionsUnderANewId() {
        RemoteConsumer a = consumer("A", Optional.of("east"));
        RemoteConsumer b = consumer("B");
        passUntil("both work", () -> a.settled() && b.settled());
        var before = List.copyOf(a.works());
        long generation = group().generation();
        consumers.remove(a);
        now(a.leave(GROUP, RemoteHeartbeat.COME_BACK));
        RemoteConsumer again = consumer("A2", Optional.of("east"));
        passUntil("it works again", again::settled);
        assertThat(again.works()).containsExactlyElementsOf(before);
        assertThat(group().generation()).isEqualTo(generation);
    }

    @Test
    void aDisconnectedStaticMemberIsExpelledASessionAfterItsLastHeartbeat() {
        RemoteConsumer a = consumer("A", Optional.of("east"));
        RemoteConsumer b = consumer("B");
        passUntil("both work", () -> a.settled() && b.settled());
        consumers.remove(a);
        server.hungUp(a.connection);
        Duration took = passUntil("B has all", () -> b.works().size() == 4);
        Duration session = RemoteConfig.DEFAULT.session();
        assertThat(took).isBetween(session.minusSeconds(2), session.plusSeconds(1));
    }

    @Test
    void anInstanceIdIsRefusedUntilItsHolderIsDisconnected() {
        RemoteConsumer a = consumer("A", Optional.of("east"));
        passUntil("A works", a::settled);
        RemoteConsumer twin = new RemoteConsumer(server, "A2", ++connections, Optional.of("east"));
        for (int i = 0; i < 3; i++) {
            twin.step(GROUP, world.now());
            world.settle();
        }
        expectRefusal(twin.last, Why.INSTANCE_IN_USE);
        consumers.remove(a);
        server.hungUp(a.connection);
        consumers.add(twin);
        assertThat(passUntil("the twin works", twin::settled)).isLessThan(Duration.ofMillis(500));
        assertThat(twin.works()).hasSize(4);
    }

    @Test
    void theNextServerAdoptsMembersWithTheirEpochs() {
        RemoteConsumer a = consumer("A");
        RemoteConsumer b = consumer("B");
        passUntil("both work", () -> a.settled() && b.settled());
        SimulatedProcess second = world.process();
        process.kill();
        ClassicProtocol door = new ClassicProtocol(second.groups, ClassicConfig.DEFAULT);
        ConsumerProtocol next = new ConsumerProtocol(second.groups, RemoteConfig.DEFAULT);
        door.adoptOrphans();
        long epoch = a.epoch;
        for (RemoteConsumer consumer : consumers) {
            consumer.reconnect(next, ++connections);
        }
        pass(Duration.ofSeconds(60));
        Group state = second.groups.open(new GroupName(GROUP)).newest().group();
        assertThat(state.generation()).isEqualTo(epoch);
        assertThat(a.epoch).isEqualTo(epoch);
        assertThat(a.works()).hasSize(2);
        assertThat(state.members().values()).allMatch(member -> member.away().isEmpty());
    }

    @Test
    void aStaticMemberMayComeBackAtTheNextServer() {
        RemoteConsumer a = consumer("A", Optional.of("east"));
        passUntil("A works", a::settled);
        consumers.clear();
        now(a.leave(GROUP, RemoteHeartbeat.COME_BACK));
        SimulatedProcess second = world.process();
        process.kill();
        new ClassicProtocol(second.groups, ClassicConfig.DEFAULT).adoptOrphans();
        ConsumerProtocol next = new ConsumerProtocol(second.groups, RemoteConfig.DEFAULT);
        RemoteConsumer again = new RemoteConsumer(next, "A2", ++connections, Optional.of("east"));
        consumers.add(again);
        passUntil("it works again", again::settled);
        assertThat(again.works()).hasSize(4);
    }

    @Test
    void aDisconnectDoesNotRecreateADeletedGroup() {
        RemoteConsumer a = consumer("A");
        passUntil("A works", a::settled);
        consumers.clear();
        now(a.leave(GROUP, RemoteHeartbeat.LEAVE));
        ClassicProtocol door = new ClassicProtocol(process.groups, ClassicConfig.DEFAULT);
        now(new ServedGroups(process.groups).delete(GROUP));
        assertThat(process.groups.list()).isEmpty();
        server.hungUp(a.connection);
        door.hungUp(a.connection);
        assertThat(process.groups.list()).isEmpty();
    }

    @Test
    void aMemberWithoutTopicsIsInTheGroup() {
        RemoteHeartbeat nothing = new RemoteHeartbeat(
                Optional.of(new MemberId("A")),
                RemoteHeartbeat.JOIN,
                Optional.empty(),
                Optional.of(new TreeSet<>()),
                Optional.empty(),
                Optional.empty(),
                Optional.of(Duration.ofMinutes(5)),
                Optional.of(new TreeSet<>()),
                new RemoteHeartbeat.Caller("A", "/127.0.0.1", 1));
        CompletableFuture<RemoteAnswer> answer = server.beat(GROUP, nothing);
        world.pass(Duration.ofMillis(100));
        assertThat(now(answer))
                .isInstanceOfSatisfying(
                        RemoteAnswer.In.class, in -> assertThat(in.partitions()).contains(new TreeSet<>()));
    }

    @Test
    void aCommitIsAcceptedInEveryEpochOfTheOwnership() {
        RemoteConsumer a = consumer("A");
        passUntil("A works", a::settled);
        RemoteConsumer b = consumer("B");
        passUntil("both work", () -> a.settled() && b.settled());
        TopicPartition mine = b.works().first();
        TopicPartition others = a.works().first();
        assertThat(commit(b.id, b.epoch, mine)).isEqualTo(new RemoteAnswer.Done());
        expectRefusal(commit(b.id, b.epoch, others), Why.STALE_EPOCH);
        expectRefusal(commit(b.id, b.epoch - 1, mine), Why.STALE_EPOCH);
        expectRefusal(commit(new MemberId("nobody"), 1, mine), Why.UNKNOWN_MEMBER);
        assertThat(commit(a.id, 1, others))
                .as("it has it since its first epoch")
                .isEqualTo(new RemoteAnswer.Done());
    }

    private RemoteAnswer commit(MemberId member, long epoch, TopicPartition partition) {
        TreeMap<TopicPartition, CommittedOffset> offsets = new TreeMap<>();
        offsets.put(partition, new CommittedOffset(0));
        return now(server.commit(GROUP, member, epoch, offsets));
    }

    @Test
    void aMemberWithAFutureEpochIsFenced() {
        RemoteConsumer a = consumer("A");
        passUntil("A works", a::settled);
        passUntil("it is refused", () -> {
            boolean refused = a.last instanceof Refused;
            if (!refused) {
                a.epoch = 77;
            }
            return refused;
        });
        expectRefusal(a.last, Why.FENCED_EPOCH);
        passUntil("it joins anew", a::settled);
        assertThat(a.works()).hasSize(4).allMatch(partition -> partition.topic().equals(ORDERS));
    }

    @Test
    void manySimultaneousMembersAreOneGeneration() {
        world.store().addPartitions(ORDERS, 60);
        for (int i = 0; i < 30; i++) {
            RemoteConsumer one = consumer("m" + i);
            one.effort = Duration.ofMillis(50);
            pass(Duration.ofMillis(20));
        }
        long begin = world.now();
        passUntil("all work", () -> consumers.stream().allMatch(RemoteConsumer::settled));
        assertThat(group().generation())
                .as("an empty one, so that nobody has to be kept waiting, and one")
                .isEqualTo(2);
        assertThat(consumers)
                .allSatisfy(consumer -> assertThat(consumer.works()).hasSize(2));
        assertThat(Duration.ofNanos(world.now() - begin)).isLessThan(Duration.ofMillis(900));
    }

    // Offsets set by hand

    private void rewind(int partition, long offset) {
        TopicPartition orders = new TopicPartition(ORDERS, partition);
        TreeMap<TopicPartition, CommittedOffset> offsets = new TreeMap<>();
        offsets.put(orders, new CommittedOffset(offset));
        now(process.groups
                .open(new GroupName(GROUP))
                .submit(state -> new Command.Rewind(offsets, state.topics(), "alice", "")));
    }

    private long committed(int partition) {
        return group().offsets()
                .get(new TopicPartition(ORDERS, partition))
                .offset()
                .offset();
    }

    @Test
    void aLiveResetRevokesAndReassignsThePartition() {
        RemoteConsumer a = consumer("A");
        passUntil("A works", a::settled);
        a.effort = Duration.ofSeconds(1);
        rewind(2, 7);
        passUntil("A has let go", () -> !a.works().contains(new TopicPartition(ORDERS, 2)));
        assertThat(a.works()).as("the others stay").hasSize(3);
        passUntil("A has it again", () -> a.settled() && a.works().size() == 4);
        assertThat(a.epoch).isEqualTo(2);
        assertThat(group().reconciled()).isTrue();
        assertThat(committed(2)).isEqualTo(7);
    }

    @Test
    void aCommitAfterALiveResetIsAnsweredAndIgnored() {
        RemoteConsumer a = consumer("A");
        passUntil("A works", a::settled);
        rewind(2, 7);
        TreeMap<TopicPartition, CommittedOffset> offsets = new TreeMap<>();
        offsets.put(new TopicPartition(ORDERS, 1), new CommittedOffset(50));
        offsets.put(new TopicPartition(ORDERS, 2), new CommittedOffset(100));
        assertThat(now(server.commit(GROUP, a.id, a.epoch, offsets))).isInstanceOf(RemoteAnswer.Done.class);
        assertThat(committed(1)).isEqualTo(50);
        assertThat(committed(2)).as("the reset stands").isEqualTo(7);
        long before = a.epoch;
        passUntil("A has it again", () -> a.epoch > before && a.settled());
        expectRefusal(now(server.commit(GROUP, a.id, before, offsets)), Why.STALE_EPOCH);
        assertThat(now(server.commit(GROUP, a.id, a.epoch, offsets))).isInstanceOf(RemoteAnswer.Done.class);
        assertThat(committed(2)).isEqualTo(100);
    }

    @Test
    void aMemberOfAFormingGroupHasNoPartitions() {
        now(process.groups
                .open(new GroupName(GROUP))
                .submit(new Command.Expect(Optional.of(new Expectation(2, Duration.ofSeconds(10))))));
        RemoteConsumer a = consumer("A");
        Duration took = passUntil("A is in", () -> a.epoch == 1);
        assertThat(took).isLessThan(Duration.ofMillis(100));
        pass(Duration.ofSeconds(5));
        assertThat(a.works()).isEmpty();
        RemoteConsumer b = consumer("B");
        took = passUntil("both work", () -> a.settled() && b.settled());
        assertThat(took).isLessThan(Duration.ofMillis(300));
        assertThat(group().generation()).isEqualTo(2);
    }

    @Test
    void aFormingGroupBeginsAfterItsTimeout() {
        now(process.groups
                .open(new GroupName(GROUP))
                .submit(new Command.Expect(Optional.of(new Expectation(2, Duration.ofSeconds(10))))));
        RemoteConsumer a = consumer("A");
        Duration took = passUntil("A works", a::settled);
        assertThat(took).isBetween(Duration.ofSeconds(10), Duration.ofSeconds(11));
    }
}
