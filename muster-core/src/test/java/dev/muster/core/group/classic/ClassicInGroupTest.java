package dev.muster.core.group.classic;

import static org.assertj.core.api.Assertions.assertThat;

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
import dev.muster.core.group.model.MemberId;
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

/** What the classic part of a group shares with the rest of it: generations, owners, history, offsets, the place. */
class ClassicInGroupTest {
    private final ClassicScript script = new ClassicScript();
    private final ClassicGroupFixture club = script.club;

    private static final String TWO_MEMBERS = """
        join A v=3
        join B v=3
        expire settle
        sync A 1 A=a01 B=b23
        sync B 1
        """;

    private MemberId owner(int partition) {
        Ownership owner = club.group.owners().get(ClassicGroupFixture.orders(partition));
        return owner == null ? null : owner.member();
    }

    private Generation.Move move(int partition) {
        return club.group
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
        return club.decide(new Command.Join(spec, club.topics)).reply();
    }

    @Test
    void whatTheLeaderAssignsAreOwnersForPeople() {
        script.run(TWO_MEMBERS);
        assertThat(owner(0)).isEqualTo(new MemberId("A"));
        assertThat(owner(3)).isEqualTo(new MemberId("B"));
        assertThat(club.group.history())
                .extracting(Generation::number, Generation::cause, Generation::assignor)
                .containsExactly(org.assertj.core.groups.Tuple.tuple(1L, "A and B joined", "range"));
        assertThat(Explanation.of(club.group, ClassicGroupFixture.orders(2)).text())
                .contains(
                        "B owns orders-2 since generation 1",
                        "Cause of generation 1: A and B joined",
                        "leader A assigns");
    }

    @Test
    void whatMovesIsRememberedAndWhatStaysIsLeftAlone() {
        script.run(TWO_MEMBERS + """
            join C v=3
            join A A
            join B B
            sync A 2 A=a0 B=b2 C=c13
            """);
        assertThat(owner(1)).isEqualTo(new MemberId("C"));
        assertThat(club.group.owners().get(ClassicGroupFixture.orders(0)).since())
                .isEqualTo(1);
        assertThat(club.group.owners().get(ClassicGroupFixture.orders(1)).since())
                .isEqualTo(2);
        assertThat(club.group.history().getLast().moves()).hasSize(2);
        assertThat(move(1).from()).contains(new MemberId("A"));
        assertThat(Explanation.of(club.group, ClassicGroupFixture.orders(0)).text())
                .contains("Generation 2 did not move it");
    }

    @Test
    void whoLeavesOwnsNothingAndTheGapIsKnown() {
        script.run(TWO_MEMBERS + "leave B why=shutdown\n");
        assertThat(owner(2)).isNull();
        assertThat(Explanation.of(club.group, ClassicGroupFixture.orders(2)).text())
                .contains("No member owns orders-2 since", "PreparingRebalance", "because B left (shutdown)");
        script.run("join A A\nsync A 2 A=a0123\n");
        assertThat(owner(2)).isEqualTo(new MemberId("A"));
        assertThat(move(2).takenAt()).isGreaterThan(move(2).freedAt());
        assertThat(club.group.history().getLast().cause()).isEqualTo("B left (shutdown)");
        script.run("leave A\n");
        assertThat(club.group.owners()).isEmpty();
        assertThat(club.group.history()).extracting(Generation::number).containsExactly(1L, 2L, 3L);
    }

    @Test
    void aTwinInheritsWhatItsOlderOwned() {
        script.run("""
            join A i=east
            expire settle
            sync A 1 i=east A=a01
            join A2 i=east m=a
            """);
        assertThat(owner(1)).isEqualTo(new MemberId("A2"));
        assertThat(Explanation.of(club.group, ClassicGroupFixture.orders(1)).text())
                .contains("has come back as A2");
    }

    @Test
    void modernMembersAreRefusedWhileThereAreClassicOnesThatCannotBeRead() {
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
        club.decide(new Command.Leave(new MemberId("M"), LeaveCause.LEFT, false));
        assertThat(club.group.generation()).isEqualTo(3);
        script.run("join B v=3\nexpire settle\n");
        assertThat(club.group.generation()).as("generations count on").isEqualTo(4);
    }

    @Test
    void offsetsOutliveTheRulesThatBroughtThem() {
        script.run(TWO_MEMBERS + "commit A 1\nleave A B\n");
        assertThat(club.group.offsets().get(ClassicGroupFixture.orders(0)).offset())
                .isEqualTo(new CommittedOffset(7, 2, "by night"));
        assertThat(club.group.offsets().get(ClassicGroupFixture.orders(0)).by()).contains(new MemberId("A"));
        joinModern("M");
        assertThat(club.group.offsets()).hasSize(1);
    }

    @Test
    void aTopicThatIsMadeAnewLosesItsOffsetsAndOwners() {
        script.run(TWO_MEMBERS + "commit A 1\n");
        TreeMap<TopicName, TopicShape> now = new TreeMap<>();
        now.put(new TopicName("orders"), new TopicShape(new TopicId(new UUID(0, 2)), 4));
        club.decide(new Command.TopicsSeen(now));
        assertThat(club.group.offsets()).isEmpty();
        assertThat(club.group.owners()).isEmpty();
        assertThat(club.group.classic().state())
                .as("what follows from it is for the leader to say")
                .isEqualTo(ClassicState.STABLE);
        assertThat(club.group.settling()).isFalse();
    }

    @Test
    void offsetsOfTopicsThatAreReadAndGroupsWithMembersAreLeftAlone() {
        script.run(TWO_MEMBERS + "commit A 1\n");
        var forget = new Command.Forget(Set.of(ClassicGroupFixture.orders(0)));
        assertThat(club.decide(forget).reply()).isInstanceOf(Reply.GroupInUse.class);
        var offsets = new TreeMap<>(java.util.Map.of(ClassicGroupFixture.orders(0), new CommittedOffset(1)));
        assertThat(club.decide(new Command.Reset(offsets, club.topics)).reply()).isInstanceOf(Reply.GroupInUse.class);
        assertThat(club.decide(new Command.Rewind(offsets, club.topics, "somebody", ""))
                        .reply())
                .isInstanceOfSatisfying(
                        Reply.ClassicMembers.class,
                        refusal -> assertThat(refusal.text()).contains("A and B", "stop them first"));
        assertThat(club.decide(new Command.Expect(Optional.empty())).reply()).isInstanceOf(Reply.ClassicMembers.class);
        assertThat(club.decide(new Command.Delete()).reply())
                .isInstanceOfSatisfying(
                        Reply.GroupInUse.class,
                        refusal -> assertThat(refusal.text()).contains("A and B"));
        script.run("leave A B\n");
        assertThat(club.decide(forget).reply()).isInstanceOf(Reply.Done.class);
        assertThat(club.decide(new Command.Delete()).reply()).isInstanceOf(Reply.Done.class);
        assertThat(club.group.classic()).isEqualTo(ClassicGroup.NONE);
        assertThat(club.group.deleted()).isTrue();
    }

    @Test
    void aDeathIsToldToBothRuleSets() {
        script.run(TWO_MEMBERS);
        club.decide(new Command.HostDied(ClassicGroupFixture.HOST));
        assertThat(club.group.classic().hasAwayMember()).isTrue();
        assertThat(club.group.timers()).hasSize(2).hasOnlyElementsOfType(GroupTimer.Classic.class);
        assertThat(Explanation.of(club.group, ClassicGroupFixture.orders(0)).text())
                .contains("The process that served the member is gone; the member keeps its place for 45 s");
        club.decide(
                new Command.SessionExpired(new MemberId("A"), ClassicGroupFixture.HOST, LeaveCause.SESSION_EXPIRED));
        assertThat(club.group.classic().members())
                .as("it has a deadline of its own")
                .hasSize(2);
        script.run("adopt h2 h1\n");
        club.decide(new Command.SessionExpired(new MemberId("A"), new HostId("h2"), LeaveCause.SESSION_EXPIRED));
        assertThat(club.group.classic().members()).hasSize(1);
    }

    @Test
    void everyJoinInTheSettleWindowMakesTheTimersBeforeItVoid() {
        script.run("join A v=3\n");
        List<ClassicTimer> first = club.group.classic().timers();
        script.run("join B\n");
        assertThat(club.group.classic().timers()).doesNotContainAnyElementsOf(first);
        assertThat(club.ask(new ClassicCommand.Expire(first.getFirst())).events())
                .isEmpty();
        assertThat(first.getFirst()).isInstanceOf(ClassicTimer.Settle.class);
    }

    @Test
    void aClassicMemberThatLostItsConnectionAndSpeaksAgainWasAFalseAlarm() {
        script.run(TWO_MEMBERS);
        club.decide(
                new Command.SessionExpired(new MemberId("B"), ClassicGroupFixture.HOST, LeaveCause.CONNECTION_LOST));
        script.run("join A A\nsync A 2 A=a0123\n");
        club.decide(new Command.ReportFalseAlarm(new MemberId("B")));
        club.decide(new Command.ReportFalseAlarm(new MemberId("B")));
        assertThat(club.group.falseAlarms().count()).isEqualTo(1);
        assertThat(club.group.falseAlarms().last().getFirst().member()).isEqualTo(new MemberId("B"));
        assertThat(Explanation.of(club.group, ClassicGroupFixture.orders(3)).text())
                .contains(
                        "Cause of generation 2: B lost its connection and did not come back.",
                        "That was a false alarm: B was alive and sent a request");
    }

    @Test
    void aLeaderThatHearsOfItsGenerationLateHearsNothingOfThoseWhoWaitForTheNextOne() {
        script.run("join A v=3 p=range,coop\njoin B v=3 p=range,coop\nexpire settle\n");
        script.run("join C v=3 p=coop\n");
        assertThat(club.group.classic().state()).isEqualTo(ClassicState.PREPARING_REBALANCE);
        var answer = (ClassicReply.Joined)
                club.group.joinAnswer(new MemberId("A"), Optional.empty()).orElseThrow();
        assertThat(answer.generation()).isEqualTo(1);
        assertThat(answer.protocol()).isEqualTo("range");
        assertThat(answer.members())
                .extracting(ClassicReply.MemberMetadata::member)
                .containsExactly(new MemberId("A"), new MemberId("B"));
        assertThat(answer.members()).noneMatch(fellow -> fellow.metadata().isEmpty());
    }
}
