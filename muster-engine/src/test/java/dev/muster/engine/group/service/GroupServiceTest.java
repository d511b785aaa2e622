package dev.muster.engine.group.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.Group;
import dev.muster.core.group.command.Command;
import dev.muster.core.group.command.Reply;
import dev.muster.core.group.model.CommittedOffset;
import dev.muster.core.group.model.GroupName;
import dev.muster.core.group.model.Subscription;
import dev.muster.core.group.model.Timing;
import dev.muster.engine.admin.GroupStatus;
import dev.muster.engine.admin.GroupSummary;
import dev.muster.engine.admin.ServedGroups;
import dev.muster.engine.group.FaultyStore;
import dev.muster.engine.group.SimulatedWorld;
import dev.muster.engine.group.SimulatedWorld.SimulatedProcess;
import dev.muster.engine.group.member.GroupMember;
import dev.muster.engine.group.member.MemberOptions;
import dev.muster.engine.group.member.Reconciliation;
import dev.muster.engine.group.member.Reconciliation.Standing;
import dev.muster.engine.group.replica.GroupReplica;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Liveness, timers and leases in simulated time: no test waits or depends on the machine's speed. */
class GroupServiceTest {
    private static final GroupName GROUP = new GroupName("billing");
    private static final Duration SESSION = Duration.ofSeconds(30);
    private static final Duration HEARTBEAT = Duration.ofSeconds(5);

    private final SimulatedWorld world = newWorld();

    /** The processes of the test. Another test class runs the same tests on another kind of store. */
    SimulatedWorld newWorld() {
        return new SimulatedWorld();
    }

    @AfterEach
    void close() {
        world.close();
    }

    private static MemberOptions options(String name, Optional<String> instance) {
        return new MemberOptions(
                GROUP,
                instance,
                name,
                new Subscription(new TreeSet<>(java.util.Set.of(new TopicName("orders"))), Optional.empty()),
                new Timing(SESSION, Duration.ofSeconds(10)),
                HEARTBEAT,
                Duration.ofMinutes(5),
                "sticky");
    }

    /** A member that applies every change of its group at once. */
    private static final class Obedient {

        private final GroupMember member;
        private final TreeSet<TopicPartition> lost = new TreeSet<>();
        private boolean obeys = true;

        Obedient(SimulatedProcess process, String name, Optional<String> instance) {

            this.member =
                    new GroupMember(process.groups, options(name, instance), () -> process.inBackground(this::obey));
            assertThat(member.join()).isInstanceOf(Reply.Joined.class);
        }

        Obedient(SimulatedProcess process, String name) {
            this(process, name, Optional.empty());
        }

        void obey() {
            while (obeys && member.id() != null && member.hasNews()) {
                Reconciliation outlook = member.look();
                lost.addAll(outlook.lost());
                member.gone(outlook.lost());
                if (outlook.standing() == Standing.IN) {
                    if (!outlook.release().isEmpty()) {
                        member.release(outlook.release(), new TreeMap<>());
                    }
                    if (!outlook.take().isEmpty()) {
                        member.awaitGeneration(outlook);
                        member.took(outlook, outlook.take());
                    }
                }
                member.worked(outlook);
            }
        }

        SortedSet<TopicPartition> held() {
            return member.held();
        }
    }

    private static Group group(SimulatedProcess seenBy) {
        return seenBy.groups.open(GROUP).newest().group();
    }

    /** A server that describes a group of dead processes shows no members, as Kafka's tools expect. */
    @Test
    void aServerShowsAGroupWhoseLastMemberDiedAsEmpty() {
        world.topic("orders", 2);
        SimulatedProcess first = world.process();
        Obedient a = new Obedient(first, "A");
        world.passUntil("A has both", () -> a.held().size() == 2);
        SimulatedProcess server = world.process();
        ServedGroups served = new ServedGroups(server.groups);
        assertThat(served.describe("billing").orElseThrow().state()).isEqualTo(GroupStatus.STABLE);
        first.kill();
        assertThat(served.list()).singleElement().satisfies(summary -> {
            assertThat(summary.state()).isEqualTo(GroupStatus.EMPTY);
            assertThat(summary.members()).isEmpty();
        });
        world.settle();
        assertThat(group(server).members())
                .as("the server wrote the death down")
                .isEmpty();
    }

    @Test
    void aServerLeavesDeadMembersOutAndShowsTheOthers() {
        world.topic("orders", 2);
        SimulatedProcess first = world.process();
        Obedient a = new Obedient(first, "A");
        SimulatedProcess second = world.process();
        Obedient b = new Obedient(second, "B");
        world.passUntil("one each", () -> a.held().size() == 1 && b.held().size() == 1);
        SimulatedProcess server = world.process();
        ServedGroups served = new ServedGroups(server.groups);
        assertThat(served.describe("billing").orElseThrow().members()).hasSize(2);
        first.kill();
        assertThat(served.describe("billing").orElseThrow().members())
                .extracting(GroupSummary.MemberSummary::client)
                .containsExactly("B");
    }

    @Test
    void simultaneousJoinsAreOneGeneration() {
        world.topic("orders", 10);
        SimulatedProcess[] processes = new SimulatedProcess[5];
        Obedient[] members = new Obedient[5];
        for (int i = 0; i < 5; i++) {
            processes[i] = world.process();
            members[i] = new Obedient(processes[i], "M" + i);
            world.pass(Duration.ofMillis(3));
        }
        Duration took = world.passUntil(
                "two each",
                () -> java.util.Arrays.stream(members)
                        .allMatch(member -> member.held().size() == 2));
        assertThat(group(processes[0]).generation()).isEqualTo(1);
        assertThat(took).isLessThan(Duration.ofMillis(100));
    }

    @Test
    void endlessJoinsAreSettledAfterATenthOfASecond() {
        world.topic("orders", 100);
        SimulatedProcess process = world.process();
        Obedient first = new Obedient(process, "M");
        int joins = 0;
        while (first.held().isEmpty()) {
            new Obedient(world.process(), "N" + joins++);
            world.pass(Duration.ofMillis(2));
        }
        assertThat(2 * joins).as("milliseconds").isBetween(95, 125);
    }

    @Test
    void whenTheLastJoinerDiesAnotherProcessSettlesTheJoins() {
        world.topic("orders", 2);
        SimulatedProcess one = world.process();
        SimulatedProcess two = world.process();
        Obedient a = new Obedient(one, "A");
        new Obedient(two, "B");
        two.stop();
        world.passUntil("A has something", () -> !a.held().isEmpty());
    }

    @Test
    void aDeadProcessIsExpelledInMilliseconds() {
        world.topic("orders", 4);
        SimulatedProcess one = world.process();
        SimulatedProcess two = world.process();
        Obedient a = new Obedient(one, "A");
        Obedient b = new Obedient(two, "B");
        world.passUntil("two each", () -> a.held().size() == 2 && b.held().size() == 2);
        two.kill();
        Duration took = world.passUntil("A has all", () -> a.held().size() == 4);
        assertThat(took).isLessThan(Duration.ofMillis(20));
    }

    @Test
    void aSilentProcessIsExpelledExactlyAfterItsSession() {
        world.topic("orders", 4);
        SimulatedProcess one = world.process();
        SimulatedProcess two = world.process();
        Obedient a = new Obedient(one, "A");
        Obedient b = new Obedient(two, "B");
        world.passUntil("two each", () -> a.held().size() == 2 && b.held().size() == 2);
        world.pass(Duration.ofMinutes(3));
        assertThat(group(one).generation()).as("a steady group stays as it is").isEqualTo(1);
        two.stop();
        Duration took = world.passUntil("A has all", () -> a.held().size() == 4);
        assertThat(took).isBetween(SESSION.minus(HEARTBEAT), SESSION.plusSeconds(1));
        assertThat(b.member.mayHandOut()).as("it was expelled").isFalse();
        two.goOn();
        world.settle();
        assertThat(b.lost).hasSize(2);
        assertThat(b.member.id()).isNull();
    }

    @Test
    void aMemberWithoutALeaseHandsOutNothingBeforeItsExpulsion() {
        world.topic("orders", 2);
        SimulatedProcess one = world.process();
        Obedient a = new Obedient(one, "A");
        Duration since = world.passUntil("A has both", () -> a.held().size() == 2);
        assertThat(a.member.mayHandOut()).isTrue();
        TopicPartition any = a.held().first();
        world.sleep(SESSION.minus(HEARTBEAT).minus(since).minusMillis(1));
        assertThat(a.member.mayHandOut()).isTrue();
        world.sleep(Duration.ofMillis(1));
        assertThat(a.member.mayHandOut()).isFalse();
        assertThat(a.member.mayWork(any, a.member.heldSince(any))).isFalse();
        world.settle();
        assertThat(a.member.mayHandOut()).as("alone, and nobody took anything").isTrue();
    }

    @Test
    void aProcessThatWasSuspendedExpelsNoOther() {
        world.topic("orders", 2);
        SimulatedProcess one = world.process();
        SimulatedProcess two = world.process();
        Obedient a = new Obedient(one, "A");
        Obedient b = new Obedient(two, "B");
        world.passUntil("one each", () -> a.held().size() == 1 && b.held().size() == 1);
        // The machine is suspended: no process runs, then all run, in either order.
        for (int i = 0; i < 10; i++) {
            world.sleep(Duration.ofMinutes(5));
            world.pass(Duration.ofSeconds(20));
        }
        assertThat(group(one).generation()).isEqualTo(1);
        assertThat(a.lost).isEmpty();
        assertThat(b.lost).isEmpty();
    }

    @Test
    void aMemberThatDoesNotReleaseInTimeIsExpelled() {
        world.topic("orders", 2);
        SimulatedProcess one = world.process();
        Obedient a = new Obedient(one, "A");
        world.passUntil("A has both", () -> a.held().size() == 2);
        a.obeys = false;
        Obedient b = new Obedient(world.process(), "B");
        Duration took = world.passUntil("B has both", () -> b.held().size() == 2);
        assertThat(took).isBetween(Duration.ofSeconds(10), Duration.ofSeconds(11));
        assertThat(group(one).members()).hasSize(1);
    }

    @Test
    void anAbsentStaticMemberIsExpelledAfterItsSession() {
        world.topic("orders", 2);
        SimulatedProcess one = world.process();
        SimulatedProcess two = world.process();
        Obedient a = new Obedient(one, "A");
        Obedient b = new Obedient(two, "B", Optional.of("b"));
        world.passUntil("one each", () -> a.held().size() == 1 && b.held().size() == 1);
        two.kill();
        world.pass(Duration.ofSeconds(29));
        assertThat(a.held()).hasSize(1);
        Duration took = world.passUntil("A has both", () -> a.held().size() == 2);
        assertThat(took).isLessThan(Duration.ofSeconds(2));
    }

    @Test
    void aMemberThatDoesNotPollInTimeLeaves() {
        world.topic("orders", 2);
        SimulatedProcess one = world.process();
        Obedient a = new Obedient(one, "A");
        world.passUntil("A has both", () -> a.held().size() == 2);
        a.obeys = false;
        long since = world.now();
        a.member.idleSince(() -> since);
        world.pass(Duration.ofMinutes(5).minusSeconds(1));
        assertThat(group(one).members()).hasSize(1);
        world.pass(Duration.ofSeconds(2));
        assertThat(group(one).members()).isEmpty();
    }

    @Test
    void aJoinWhoseAnswerWasLostIsCleanedUp() {
        world.topic("orders", 2);
        SimulatedProcess one = world.process();
        Obedient stray = new Obedient(one, "stray");
        // As if the answer had been lost: this process does not know the membership.
        one.groups.watch(GROUP).remove(stray.member);
        Obedient a = new Obedient(one, "A");
        Duration took = world.passUntil("A has both", () -> a.held().size() == 2);
        assertThat(took).isLessThan(Duration.ofSeconds(3));
        assertThat(group(one).members()).hasSize(1);
    }

    @Test
    void aStableGroupWritesNothing() {
        world.topic("orders", 4);
        SimulatedProcess one = world.process();
        SimulatedProcess two = world.process();
        Obedient a = new Obedient(one, "A");
        Obedient b = new Obedient(two, "B");
        world.passUntil("two each", () -> a.held().size() == 2 && b.held().size() == 2);
        world.pass(Duration.ofSeconds(5));
        long version = one.groups.open(GROUP).newest().version();
        long beats = one.store
                .groups()
                .hosts()
                .renewals(one.store.groups().hosts().self())
                .orElseThrow();
        world.pass(Duration.ofMinutes(10));
        assertThat(one.groups.open(GROUP).newest().version()).isEqualTo(version);
        long more = one.store
                        .groups()
                        .hosts()
                        .renewals(one.store.groups().hosts().self())
                        .orElseThrow()
                - beats;
        assertThat(more).as("signs of life in ten minutes, one in five seconds").isBetween(119L, 121L);
    }

    @Test
    void regularSnapshotsKeepTheJournalShort() {
        world.topic("orders", 1);
        SimulatedProcess one = world.process();
        Obedient a = new Obedient(one, "A");
        world.passUntil("A has it", () -> a.held().size() == 1);
        TopicPartition only = a.held().first();
        for (long i = 1; i <= 5000; i++) {
            TreeMap<TopicPartition, CommittedOffset> offsets = new TreeMap<>();
            offsets.put(only, new CommittedOffset(i));
            assertThat(a.member.commit(offsets)).isInstanceOf(Reply.Done.class);
            world.settle();
        }
        var journal = one.store.groups().find(GROUP).orElseThrow();
        assertThat(journal.endVersion() - journal.startVersion()).isBetween(1000L, 2100L);
        SimulatedProcess late = world.process();
        assertThat(group(late)).isEqualTo(group(one));
        assertThat(group(late).offsets().get(only).offset().offset()).isEqualTo(5000);
    }

    @Test
    void aSignOfLifeAfterAPauseDoesNotRenewAnOldLease() {
        world.topic("orders", 4);
        SimulatedProcess one = world.process();
        SimulatedProcess two = world.process();
        Obedient a = new Obedient(one, "A");
        Obedient b = new Obedient(two, "B");
        world.passUntil("two each", () -> a.held().size() == 2 && b.held().size() == 2);
        // B read the journal and found itself in the group. It is suspended before it reads its clock. When it resumes,
        // the thread that gives signs of life runs first.
        b.obeys = false;
        two.beforeClock(() -> {
            two.stop();
            world.passUntil("A has all", () -> a.held().size() == 4);
            two.goOn();
            two.groups.beat();
        });
        assertThat(b.member.mayHandOut()).as("A owns everything").isFalse();
    }

    @Test
    void aProcessWithUnknownSignsOfLifeIsNotSilent() {
        world.topic("orders", 4);
        FaultyStore[] faulty = new FaultyStore[1];
        SimulatedProcess one = world.process(real -> faulty[0] = new FaultyStore(real));
        SimulatedProcess two = world.process();
        faulty[0].blind = true;
        Obedient a = new Obedient(one, "A");
        Obedient b = new Obedient(two, "B");
        world.passUntil("two each", () -> a.held().size() == 2 && b.held().size() == 2);
        world.pass(Duration.ofMinutes(3));
        assertThat(group(one).generation()).isEqualTo(1);
        faulty[0].blind = false;
        two.stop();
        world.pass(SESSION.plusSeconds(2));
        assertThat(a.held())
                .as("when they can be seen again, silence is silence")
                .hasSize(4);
    }

    @Test
    void aProcessThatCannotBeWatchedIsJudgedByItsSignsOfLife() {
        world.topic("orders", 4);
        FaultyStore[] faulty = new FaultyStore[1];
        SimulatedProcess one = world.process(real -> faulty[0] = new FaultyStore(real));
        SimulatedProcess two = world.process();
        faulty[0].unwatchable = true;
        Obedient a = new Obedient(one, "A");
        Obedient b = new Obedient(two, "B");
        world.passUntil("two each", () -> a.held().size() == 2 && b.held().size() == 2);
        two.stop();
        Duration took = world.passUntil("A has all", () -> a.held().size() == 4);
        assertThat(took).isBetween(SESSION.minus(HEARTBEAT), SESSION.plusSeconds(1));
    }

    @Test
    void aTopicCreatedDuringASearchIsFoundOnce() {
        world.topic("orders", 2);
        FaultyStore[] faulty = new FaultyStore[2];
        SimulatedProcess one = world.process(real -> faulty[0] = new FaultyStore(real));
        SimulatedProcess two = world.process(real -> faulty[1] = new FaultyStore(real));
        Obedient a = new Obedient(one, "A");
        Obedient b = new Obedient(two, "B");
        world.passUntil("one each", () -> a.held().size() == 1 && b.held().size() == 1);
        // The second process waits a little before it compares the topics; meanwhile there is another change.
        world.topic("other", 1);
        world.pass(Duration.ofMillis(2));
        world.store().addPartitions(new TopicName("orders"), 4);
        world.passUntil("two each", () -> a.held().size() == 2 && b.held().size() == 2);
        world.pass(Duration.ofSeconds(10));
        int looks = faulty[0].looksForTopics + faulty[1].looksForTopics;
        world.pass(Duration.ofMinutes(1));
        assertThat(faulty[0].looksForTopics + faulty[1].looksForTopics).isEqualTo(looks);
    }

    @Test
    void aTopicIsFoundWhenItsCreatorDiesBetweenAnnouncements() {
        world.topic("orders", 2);
        FaultyStore[] faulty = new FaultyStore[1];
        SimulatedProcess one = world.process(real -> faulty[0] = new FaultyStore(real));
        faulty[0].topicsVersion = OptionalLong.of(1);
        Obedient a = new Obedient(one, "A");
        world.passUntil("A has both", () -> a.held().size() == 2);
        world.pass(Duration.ofMinutes(1));
        faulty[0].topicsVersion = OptionalLong.of(2);
        world.pass(Duration.ofMillis(1100));
        world.store().addPartitions(new TopicName("orders"), 3);
        Duration took = world.passUntil("A has all", () -> a.held().size() == 3);
        assertThat(took).isLessThan(Duration.ofSeconds(5));
    }

    @Test
    void aLateDeleteDoesNotHitANewGroupOfThatName() {
        world.topic("orders", 2);
        SimulatedProcess one = world.process();
        SimulatedProcess two = world.process();
        GroupReplica old = one.groups.open(GROUP);
        assertThat(old.propose(new Command.Delete())).isInstanceOf(Reply.Done.class);
        // Another process finishes the deletion and creates the group again, while this one is suspended.
        Obedient b = new Obedient(two, "B");
        world.passUntil("B has both", () -> b.held().size() == 2);
        Obedient a = new Obedient(one, "A");
        world.passUntil("one each", () -> a.held().size() == 1 && b.held().size() == 1);
        one.groups.delete(old);
        world.pass(SESSION.multipliedBy(3));
        assertThat(group(two).members())
                .as("both are there and give signs of life")
                .hasSize(2);
        assertThat(a.lost).isEmpty();
        assertThat(b.lost).isEmpty();
    }
}
