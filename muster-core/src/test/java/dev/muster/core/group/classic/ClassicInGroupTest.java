package dev.muster.core.group.classic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.MemberId;
import dev.muster.core.TopicId;
import dev.muster.core.TopicName;
import dev.muster.core.group.command.Command;
import dev.muster.core.group.command.GroupTimer;
import dev.muster.core.group.command.Reply;
import dev.muster.core.group.explain.Explanation;
import dev.muster.core.group.model.CommittedOffset;
import dev.muster.core.group.model.Generation;
import dev.muster.core.group.model.HostId;
import dev.muster.core.group.model.LeaveCause;
import dev.muster.core.group.model.MemberSpec;
import dev.muster.core.group.model.Ownership;
import dev.muster.core.group.model.Subscription;
import dev.muster.core.group.model.Timing;
import dev.muster.core.group.model.TopicShape;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The parts of a group that both sets of rules share: generations, owners, history, offsets, memberships. */
class ClassicInGroupTest {
    private final ClassicScript script = new ClassicScript();
    private final ClassicGroupFixture fixture = script.fixture;

    private static final String TWO_MEMBERS = """
        join A v=3
        join B v=3
        expire settle
        sync A 1 A=a01 B=b23
        sync B 1
        """;

    private MemberId owner(int partition) {
        Ownership owner = fixture.group.owners().get(ClassicGroupFixture.orders(partition));
        return owner == null ? null : owner.member();
    }

    private Generation.Move move(int partition) {
        return fixture.group
                .lastMove(ClassicGroupFixture.orders(partition))
                .orElseThrow()
                .move();
    }

    private Reply joinModern(String id) {
        MemberSpec spec = new MemberSpec(
                new MemberId(id),
                Optional.empty(),
                id,
                ClassicGroupFixture.HOST,
                Optional.empty(),
                new Subscription(new TreeSet<>(Set.of(new TopicName("orders"))), Optional.empty()),
                Timing.DEFAULT,
                "sticky");
        return fixture.decide(new Command.Join(spec, fixture.topics)).reply();
    }

    @Test
    void theLeadersAssignmentIsShownAsOwners() {
        script.run(TWO_MEMBERS);
        assertThat(owner(0)).isEqualTo(new MemberId("A"));
        assertThat(owner(3)).isEqualTo(new MemberId("B"));
        assertThat(fixture.group.history())
                .extracting(Generation::number, Generation::cause, Generation::assignor)
                .containsExactly(org.assertj.core.groups.Tuple.tuple(1L, "A and B joined", "range"));
        assertThat(Explanation.of(fixture.group, ClassicGroupFixture.orders(2)).text())
                .contains(
                        "B owns orders-2 since generation 1",
                        "Cause of generation 1: A and B joined",
                        "leader A assigns");
    }

    @Test
    void onlyMovedPartitionsGetANewMoveAndOwnership() {
        script.run(TWO_MEMBERS + """
            join C v=3
            join A A
            join B B
            sync A 2 A=a0 B=b2 C=c13
            """);
        assertThat(owner(1)).isEqualTo(new MemberId("C"));
        assertThat(fixture.group.owners().get(ClassicGroupFixture.orders(0)).since())
                .isEqualTo(1);
        assertThat(fixture.group.owners().get(ClassicGroupFixture.orders(1)).since())
                .isEqualTo(2);
        assertThat(fixture.group.history().getLast().moves()).hasSize(2);
        assertThat(move(1).from()).contains(new MemberId("A"));
        assertThat(Explanation.of(fixture.group, ClassicGroupFixture.orders(0)).text())
                .contains("Generation 2 did not move it");
    }

    @Test
    void aLeavingMemberOwnsNothingAndTheGapIsRecorded() {
        script.run(TWO_MEMBERS + "leave B why=shutdown\n");
        assertThat(owner(2)).isNull();
        assertThat(Explanation.of(fixture.group, ClassicGroupFixture.orders(2)).text())
                .contains("No member owns orders-2 since", "PreparingRebalance", "because B left (shutdown)");
        script.run("join A A\nsync A 2 A=a0123\n");
        assertThat(owner(2)).isEqualTo(new MemberId("A"));
        assertThat(move(2).takenAt()).isGreaterThan(move(2).freedAt());
        assertThat(fixture.group.history().getLast().cause()).isEqualTo("B left (shutdown)");
        script.run("leave A\n");
        assertThat(fixture.group.owners()).isEmpty();
        assertThat(fixture.group.history()).extracting(Generation::number).containsExactly(1L, 2L, 3L);
    }

    @Test
    void aReplacingStaticMemberInheritsTheOwnedPartitions() {
        script.run("""
            join A i=east
            expire settle
            sync A 1 i=east A=a01
            join A2 i=east m=a
            """);
        assertThat(owner(1)).isEqualTo(new MemberId("A2"));
        assertThat(Explanation.of(fixture.group, ClassicGroupFixture.orders(1)).text())
                .contains("has come back as A2");
    }

    @Test
    void modernMembersAreRefusedWhileClassicMetadataIsUnreadable() {
        script.run("join A v=3 unread=x\n");
        assertThat(joinModern("M"))
                .isInstanceOfSatisfying(
                        Reply.ClassicMembers.class,
                        refusal -> assertThat(refusal.text()).contains("(A)"));
        script.run("expire settle\nleave A\n");
        assertThat(joinModern("M")).isInstanceOf(Reply.Joined.class);
        assertThat(script.run("join B v=3 unread=x\nheartbeat A 1\nsync A 1\ncommit -\nleave A\n"))
                .endsWith("""
                    join B v=3 unread=x
                      = inconsistent protocol
                    heartbeat A 1
                      = unknown member
                    sync A 1
                      = unknown member
                    commit -
                      = unknown member
                    leave A
                      = unknown member
                    """);
        fixture.decide(new Command.Leave(new MemberId("M"), LeaveCause.LEFT, false));
        assertThat(fixture.group.generation()).isEqualTo(3);
        script.run("join B v=3\nexpire settle\n");
        assertThat(fixture.group.generation()).as("generation numbers go on").isEqualTo(4);
    }

    @Test
    void offsetsStayWhenTheGroupChangesItsRules() {
        script.run(TWO_MEMBERS + "commit A 1\nleave A B\n");
        assertThat(fixture.group.offsets().get(ClassicGroupFixture.orders(0)).offset())
                .isEqualTo(new CommittedOffset(7, 2, "by night"));
        assertThat(fixture.group.offsets().get(ClassicGroupFixture.orders(0)).by())
                .contains(new MemberId("A"));
        joinModern("M");
        assertThat(fixture.group.offsets()).hasSize(1);
    }

    @Test
    void aRecreatedTopicLosesItsOffsetsAndOwners() {
        script.run(TWO_MEMBERS + "commit A 1\n");
        TreeMap<TopicName, TopicShape> now = new TreeMap<>();
        now.put(new TopicName("orders"), new TopicShape(new TopicId(new UUID(0, 2)), 4));
        fixture.decide(new Command.TopicsSeen(now));
        assertThat(fixture.group.offsets()).isEmpty();
        assertThat(fixture.group.owners()).isEmpty();
        assertThat(fixture.group.classic().state())
                .as("the leader decides what follows from it")
                .isEqualTo(ClassicState.STABLE);
        assertThat(fixture.group.settling()).isFalse();
    }

    @Test
    void offsetsOfReadTopicsAndGroupsWithMembersCannotBeDeleted() {
        script.run(TWO_MEMBERS + "commit A 1\n");
        var forget = new Command.Forget(Set.of(ClassicGroupFixture.orders(0)));
        assertThat(fixture.decide(forget).reply()).isInstanceOf(Reply.GroupInUse.class);
        var offsets = new TreeMap<>(java.util.Map.of(ClassicGroupFixture.orders(0), new CommittedOffset(1)));
        assertThat(fixture.decide(new Command.Reset(offsets, fixture.topics)).reply())
                .isInstanceOf(Reply.GroupInUse.class);
        assertThat(fixture.decide(new Command.Rewind(offsets, fixture.topics, "somebody", ""))
                        .reply())
                .isInstanceOfSatisfying(
                        Reply.ClassicMembers.class,
                        refusal -> assertThat(refusal.text()).contains("A and B", "stop them first"));
        assertThat(fixture.decide(new Command.Expect(Optional.empty())).reply())
                .isInstanceOf(Reply.ClassicMembers.class);
        assertThat(fixture.decide(new Command.Delete()).reply())
                .isInstanceOfSatisfying(
                        Reply.GroupInUse.class,
                        refusal -> assertThat(refusal.text()).contains("A and B"));
        script.run("leave A B\n");
        assertThat(fixture.decide(forget).reply()).isInstanceOf(Reply.Done.class);
        assertThat(fixture.decide(new Command.Delete()).reply()).isInstanceOf(Reply.Done.class);
        assertThat(fixture.group.classic()).isEqualTo(ClassicGroup.NONE);
        assertThat(fixture.group.deleted()).isTrue();
    }

    @Test
    void aHostDeathReachesClassicMembersToo() {
        script.run(TWO_MEMBERS);
        fixture.decide(new Command.HostDied(ClassicGroupFixture.HOST));
        assertThat(fixture.group.classic().hasAwayMember()).isTrue();
        assertThat(fixture.group.timers()).hasSize(2).hasOnlyElementsOfType(GroupTimer.Classic.class);
        assertThat(Explanation.of(fixture.group, ClassicGroupFixture.orders(0)).text())
                .contains("The process that served the member is gone; the member keeps its place for 45 s");
        fixture.decide(
                new Command.SessionExpired(new MemberId("A"), ClassicGroupFixture.HOST, LeaveCause.SESSION_EXPIRED));
        assertThat(fixture.group.classic().members())
                .as("it has a deadline of its own")
                .hasSize(2);
        script.run("adopt h2 h1\n");
        fixture.decide(new Command.SessionExpired(new MemberId("A"), new HostId("h2"), LeaveCause.SESSION_EXPIRED));
        assertThat(fixture.group.classic().members()).hasSize(1);
    }

    @Test
    void everyJoinInTheSettleWindowReplacesTheTimers() {
        script.run("join A v=3\n");
        List<ClassicTimer> first = fixture.group.classic().timers();
        script.run("join B\n");
        assertThat(fixture.group.classic().timers()).doesNotContainAnyElementsOf(first);
        assertThat(fixture.ask(new ClassicCommand.Expire(first.getFirst())).events())
                .isEmpty();
        assertThat(first.getFirst()).isInstanceOf(ClassicTimer.Settle.class);
    }

    @Test
    void anExpelledClassicMemberThatReturnsIsAFalseAlarm() {
        script.run(TWO_MEMBERS);
        fixture.decide(
                new Command.SessionExpired(new MemberId("B"), ClassicGroupFixture.HOST, LeaveCause.CONNECTION_LOST));
        script.run("join A A\nsync A 2 A=a0123\n");
        fixture.decide(new Command.ReportFalseAlarm(new MemberId("B")));
        fixture.decide(new Command.ReportFalseAlarm(new MemberId("B")));
        assertThat(fixture.group.falseAlarms().count()).isEqualTo(1);
        assertThat(fixture.group.falseAlarms().last().getFirst().member()).isEqualTo(new MemberId("B"));
        assertThat(Explanation.of(fixture.group, ClassicGroupFixture.orders(3)).text())
                .contains(
                        "Cause of generation 2: B lost its connection and did not come back.",
                        "That was a false alarm: B was alive and sent a request");
    }

    @Test
    void aLateJoinAnswerToTheLeaderOmitsWaitingNewMembers() {
        script.run("join A v=3 p=range,coop\njoin B v=3 p=range,coop\nexpire settle\n");
        script.run("join C v=3 p=coop\n");
        assertThat(fixture.group.classic().state()).isEqualTo(ClassicState.PREPARING_REBALANCE);
        var answer = (ClassicReply.Joined)
                fixture.group.joinAnswer(new MemberId("A"), Optional.empty()).orElseThrow();
        assertThat(answer.generation()).isEqualTo(1);
        assertThat(answer.protocol()).isEqualTo("range");
        assertThat(answer.members())
                .extracting(ClassicReply.MemberMetadata::member)
                .containsExactly(new MemberId("A"), new MemberId("B"));
        assertThat(answer.members()).noneMatch(fellow -> fellow.metadata().isEmpty());
    }
}
