package dev.muster.core.group.model;

import static dev.muster.core.group.GroupFixture.id;
import static dev.muster.core.group.GroupFixture.partition;
import static dev.muster.core.group.GroupFixture.remote;
import static dev.muster.core.group.GroupFixture.spec;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.group.Group;
import dev.muster.core.group.GroupFixture;
import dev.muster.core.group.MemberAssignment;
import dev.muster.core.group.classic.ClassicCommand;
import dev.muster.core.group.classic.ClassicGroup;
import dev.muster.core.group.classic.ClassicSpec;
import dev.muster.core.group.classic.ConsumerMetadata;
import dev.muster.core.group.command.Command;
import dev.muster.core.group.command.GroupTimer;
import dev.muster.core.group.command.Reply;
import dev.muster.core.group.explain.Explanation;
import dev.muster.core.group.json.GroupJson;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Groups that wait for their members before any member gets a partition. */
class FormingTest {
    private static final Expectation THREE = new Expectation(3, Duration.ofSeconds(10));

    private final GroupFixture fixture = new GroupFixture().topic("orders", 6);

    private void expect(Expectation expectation) {
        assertThat(fixture.reply(new Command.Expect(Optional.of(expectation)))).isEqualTo(new Reply.Done());
    }

    private String cause() {
        return fixture.group.history().getLast().cause();
    }

    private Forming forming() {
        return fixture.group.forming().orElseThrow();
    }

    @Test
    void noMemberGetsAPartitionBeforeTheGroupFormed() {
        expect(THREE);
        fixture.join(spec("A", "orders"));
        fixture.join(spec("B", "orders"));
        assertThat(fixture.settle().events())
                .as("joins alone make no generation")
                .isEmpty();
        assertThat(fixture.group.owners()).isEmpty();
        assertThat(fixture.group.timers())
                .containsExactly(new GroupTimer.Forming(forming().token(), THREE.within()));
        assertThat(fixture.group.reconciled()).isFalse();

        fixture.join(spec("C", "orders"));
        assertThat(fixture.group.forming()).isEmpty();
        assertThat(fixture.group.timers()).isEmpty();
        for (String member : new String[] {"A", "B", "C"}) {
            assertThat(fixture.owned(member)).hasSize(2);
        }
        assertThat(cause()).isEqualTo("B and C joined; the group has all 3 members");
    }

    private Reply joinClassic(String name) {
        ClassicSpec spec = new ClassicSpec(
                id(name),
                Optional.empty(),
                name,
                "/127.0.0.1",
                spec(name, "orders").host(),
                Duration.ofSeconds(30),
                Duration.ofSeconds(30),
                ClassicGroup.CONSUMER,
                List.of(new Protocol("range", Opaque.EMPTY)),
                Optional.of(new ConsumerMetadata(new TreeSet<>(fixture.topics.keySet()), new TreeSet<>())));
        var limits = new ClassicCommand.Limits(100, Duration.ZERO, Duration.ZERO);
        var join = new ClassicCommand.Join(Optional.empty(), spec, false, true, "", limits);
        return fixture.reply(new Command.Classic(join, fixture.topics));
    }

    @Test
    void aClassicClientCountsAsAnExpectedMember() {
        expect(THREE);
        fixture.join(spec("A", "orders"));
        fixture.join(spec("B", "orders"));
        joinClassic("C");
        assertThat(fixture.group.forming()).isEmpty();
        assertThat(fixture.owned("C")).hasSize(2);
    }

    @Test
    void aGroupThatBecomesClassicStopsForming() {
        expect(THREE);
        fixture.join(spec("A", "orders"));
        joinClassic("C");
        fixture.reply(new Command.Leave(id("A"), LeaveCause.LEFT, false));
        assertThat(fixture.group.classic().inUse()).isTrue();
        assertThat(fixture.group.forming()).isEmpty();
        assertThat(fixture.group.timers()).noneMatch(GroupTimer.Forming.class::isInstance);
    }

    @Test
    void afterTheLongestWaitTheGroupBeginsWithItsMembers() {
        expect(THREE);
        fixture.join(spec("A", "orders"));
        fixture.join(spec("B", "orders"));
        long token = forming().token();
        assertThat(fixture.ask(new Command.FormingOver(token - 1)).events())
                .as("token of another wait")
                .isEmpty();
        fixture.ask(new Command.FormingOver(token));
        assertThat(fixture.owned("A")).hasSize(3);
        assertThat(fixture.owned("B")).hasSize(3);
        assertThat(cause()).isEqualTo("B joined; the group waited 10 s and has 2 of 3 members");
        assertThat(fixture.ask(new Command.FormingOver(token)).events()).isEmpty();
    }

    @Test
    void formingIsCompletedByHand() {
        expect(THREE);
        assertThat(fixture.reply(new Command.Complete("alice"))).isInstanceOf(Reply.NotForming.class);
        fixture.join(spec("A", "orders"));
        assertThat(fixture.reply(new Command.Complete("alice"))).isEqualTo(new Reply.Done());
        assertThat(fixture.owned("A")).hasSize(6);
        assertThat(cause()).isEqualTo("the group was completed by alice with 1 of 3 members");
        assertThat(fixture.reply(new Command.Complete("alice"))).isInstanceOf(Reply.NotForming.class);
    }

    @Test
    void aFormedGroupDoesNotWaitForMembersAgain() {
        expect(new Expectation(2, Duration.ofSeconds(10)));
        fixture.join(spec("A", "orders"));
        fixture.join(spec("B", "orders"));
        fixture.ask(new Command.Leave(id("B"), LeaveCause.LEFT, false));
        assertThat(fixture.group.forming()).isEmpty();
        assertThat(fixture.owned("A")).hasSize(6);
        fixture.arrive(spec("C", "orders"));
        assertThat(fixture.owned("C")).hasSize(3);
    }

    @Test
    void anEmptyGroupFormsAgain() {
        expect(new Expectation(2, Duration.ofSeconds(10)));
        fixture.join(spec("A", "orders"));
        fixture.ask(new Command.Leave(id("A"), LeaveCause.LEFT, false));
        assertThat(fixture.group.forming()).isEmpty();
        assertThat(fixture.group.expectation()).isPresent();
        fixture.join(spec("B", "orders"));
        assertThat(fixture.group.forming()).isPresent();
        assertThat(fixture.group.owners()).isEmpty();
    }

    @Test
    void aChangedNumberOfExpectedMembersAppliesToTheCurrentWait() {
        expect(THREE);
        fixture.join(spec("A", "orders"));
        fixture.join(spec("B", "orders"));
        long token = forming().token();
        expect(new Expectation(5, Duration.ofSeconds(20)));
        assertThat(forming().expectation().members()).isEqualTo(5);
        assertThat(forming().token()).as("the wait begins again").isNotEqualTo(token);
        expect(new Expectation(2, Duration.ofSeconds(20)));
        assertThat(fixture.owned("A")).hasSize(3);
    }

    @Test
    void aClearedExpectationEndsTheWait() {
        expect(THREE);
        fixture.join(spec("A", "orders"));
        fixture.ask(new Command.Expect(Optional.empty()));
        assertThat(fixture.owned("A")).hasSize(6);
        assertThat(fixture.group.expectation()).isEmpty();
    }

    @Test
    void anExpectationOfAFormedGroupAppliesNextTime() {
        fixture.arrive(spec("A", "orders"));
        expect(THREE);
        assertThat(fixture.group.forming()).isEmpty();
        assertThat(fixture.owned("A")).hasSize(6);
        fixture.arrive(spec("B", "orders"));
        assertThat(fixture.owned("B")).hasSize(3);
    }

    @Test
    void theFirstMembersExpectationCountsUnlessSetByHand() {
        fixture.reply(new Command.Join(spec("A", "orders"), fixture.topics, Optional.of(THREE)));
        fixture.reply(new Command.Join(
                spec("B", "orders"), fixture.topics, Optional.of(new Expectation(9, Duration.ofSeconds(1)))));
        assertThat(forming().expectation()).isEqualTo(THREE);
        assertThat(fixture.group.expectation()).isEmpty();
        fixture.ask(new Command.Leave(id("A"), LeaveCause.LEFT, false));
        fixture.ask(new Command.Leave(id("B"), LeaveCause.LEFT, false));
        expect(new Expectation(2, Duration.ofSeconds(10)));
        fixture.reply(new Command.Join(spec("C", "orders"), fixture.topics, Optional.of(THREE)));
        assertThat(forming().expectation().members()).isEqualTo(2);
    }

    @Test
    void aFormingGroupHasAGenerationForRemoteMembers() {
        expect(THREE);
        fixture.join(remote(spec("A", "orders")));
        assertThat(fixture.group.assignment(id("A"))).contains(new MemberAssignment(1, PartitionSets.NONE));
    }

    @Test
    void topicChangesMakeNoGenerationWhileForming() {
        expect(THREE);
        fixture.join(spec("A", "orders"));
        fixture.topic("orders", 9);
        fixture.ask(new Command.TopicsSeen(fixture.topics));
        assertThat(fixture.group.owners()).isEmpty();
        fixture.ask(new Command.Complete("alice"));
        assertThat(fixture.owned("A")).hasSize(9);
    }

    @Test
    void aSnapshotKeepsTheFormingState() {
        expect(THREE);
        fixture.join(spec("A", "orders"));
        fixture.join(spec("B", "orders"));
        Group read = GroupJson.replay(Group.empty(), GroupJson.snapshot(fixture.group, 5, GroupFixture.HOST));
        assertThat(read).isEqualTo(fixture.group);
        assertThat(read.timers()).isEqualTo(fixture.group.timers());
    }

    @Test
    void anExplanationSaysThatTheGroupForms() {
        expect(THREE);
        fixture.join(spec("A", "orders"));
        fixture.join(spec("B", "orders"));
        assertThat(Explanation.of(fixture.group, partition("orders", 0)).text())
                .contains("The group is forming: 2 of 3 members have joined; it begins when all have, when it is"
                        + " completed by hand, or at "
                        + forming().completesAt() + ".");
    }
}
