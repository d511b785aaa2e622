package dev.muster.core.group;

import static dev.muster.core.group.GroupFixture.as;
import static dev.muster.core.group.GroupFixture.asking;
import static dev.muster.core.group.GroupFixture.id;
import static dev.muster.core.group.GroupFixture.offsets;
import static dev.muster.core.group.GroupFixture.on;
import static dev.muster.core.group.GroupFixture.partitions;
import static dev.muster.core.group.GroupFixture.remote;
import static dev.muster.core.group.GroupFixture.spec;
import static dev.muster.core.group.GroupFixture.subscription;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.TopicPartition;
import dev.muster.core.assign.Assignor;
import dev.muster.core.assign.Assignors;
import dev.muster.core.group.command.Command;
import dev.muster.core.group.command.Decision;
import dev.muster.core.group.command.GroupTimer;
import dev.muster.core.group.command.Reply;
import dev.muster.core.group.model.FormerMember;
import dev.muster.core.group.model.Generation;
import dev.muster.core.group.model.HostId;
import dev.muster.core.group.model.LeaveCause;
import dev.muster.core.group.model.PendingRebalance;
import dev.muster.core.group.model.Timing;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Members that join, leave, fall silent and return, and the generations that follow. */
class MembershipTest {
    private final GroupFixture fixture = new GroupFixture().topic("orders", 4);

    // Joins

    @Test
    void joinsThatArriveTogetherMakeOneGeneration() {
        assertThat(fixture.join(spec("A", "orders"))).isEqualTo(new Reply.Joined(id("A"), false));
        long first = fixture.group.pending().token();
        fixture.join(spec("B", "orders"));
        assertThat(fixture.group.generation()).isZero();
        assertThat(fixture.group.settling()).isTrue();
        assertThat(fixture.ask(new Command.Settle(first)).events())
                .as("an older token")
                .isEmpty();
        fixture.settle();
        assertThat(fixture.group.generation()).isEqualTo(1);
        assertThat(fixture.owned("A")).isEqualTo(partitions("orders", 0, 2));
        assertThat(fixture.owned("B")).isEqualTo(partitions("orders", 1, 3));
        assertThat(fixture.group.history().getLast().cause()).isEqualTo("A and B joined");
        assertThat(fixture.group.settling()).isFalse();
        assertThat(fixture.group.timers()).isEmpty();
    }

    @Test
    void everyJoinMakesANewTimerForTheLastJoinersProcess() {
        fixture.join(on("h1", spec("A", "orders")));
        GroupTimer.Settle first = (GroupTimer.Settle) fixture.group.timers().getFirst();
        fixture.join(on("h2", spec("B", "orders")));
        GroupTimer.Settle second = (GroupTimer.Settle) fixture.group.timers().getFirst();
        assertThat(first.first()).isEqualTo(new HostId("h1"));
        assertThat(second.first()).isEqualTo(new HostId("h2"));
        assertThat(second.token()).isNotEqualTo(first.token());
        assertThat(first.after()).isLessThanOrEqualTo(Duration.ofMillis(15)).isGreaterThan(Duration.ofMillis(14));
        assertThat(second.after()).isLessThan(first.after());
    }

    @Test
    void endlessJoinsCannotDelayAGeneration() {
        Duration last = Duration.ofDays(1);
        for (int i = 0; i < PendingRebalance.JOINS_MAX; i++) {
            fixture.join(spec("m" + i, "orders"));
            Duration after = fixture.group.timers().getFirst().after();
            assertThat(after).isLessThan(last);
            last = after;
        }
        assertThat(last).isZero();
        fixture.settle();
        assertThat(fixture.group.history().getLast().cause()).isEqualTo("m0, m1, m2 and 125 more joined");
    }

    @Test
    void theWaitForRemoteMembersGrowsWithTheirNumber() {
        fixture.join(remote(spec("A", "orders")));
        GroupTimer.Settle first = (GroupTimer.Settle) fixture.group.timers().getFirst();
        assertThat(first.after()).isEqualTo(PendingRebalance.SETTLE_REMOTE.plus(PendingRebalance.SETTLE_REMOTE_EACH));
        assertThat(first.atMost()).isEqualTo(PendingRebalance.SETTLE_REMOTE_MAX);
        for (int i = 0; i < 200; i++) {
            fixture.join(remote(spec("m" + i, "orders")));
        }
        GroupTimer.Settle last = (GroupTimer.Settle) fixture.group.timers().getFirst();
        assertThat(last.after()).isEqualTo(PendingRebalance.SETTLE_REMOTE_LONGEST);
    }

    @Test
    void manyFirstRemoteJoinsGetAGenerationWithoutPartitions() {
        for (int i = 0; i <= PendingRebalance.CROWD; i++) {
            assertThat(fixture.group.generation()).isZero();
            fixture.join(remote(spec("m" + i, "orders")));
        }
        assertThat(fixture.group.generation()).isEqualTo(1);
        assertThat(fixture.group.crowded()).isTrue();
        assertThat(fixture.group.owners()).isEmpty();
        assertThat(fixture.group.settling()).isTrue();
        fixture.settle();
        assertThat(fixture.group.generation()).isEqualTo(2);
        assertThat(fixture.group.owners()).hasSize(4);
    }

    @Test
    void aRepeatedJoinChangesNothing() {
        fixture.arrive(spec("A", "orders"));
        Decision again = fixture.ask(new Command.Join(spec("A", "orders"), fixture.topics));
        assertThat(again.events()).isEmpty();
        assertThat(again.reply()).isEqualTo(new Reply.Joined(id("A"), true));
    }

    @Test
    void surplusMembersOwnNothing() {
        for (int i = 0; i < 6; i++) {
            fixture.join(spec("m" + i, "orders"));
        }
        fixture.settle();
        assertThat(fixture.group.owners()).hasSize(4);
        assertThat(fixture.owned("m5")).isEmpty();
        fixture.ask(new Command.Leave(id("m0"), LeaveCause.LEFT, false));
        assertThat(fixture.group.owners()).hasSize(4);
    }

    @Test
    void aChangedSubscriptionCountsInTheNextGeneration() {
        fixture.topic("payments", 2).arrive(spec("A", "orders"));
        fixture.ask(new Command.Subscribe(id("A"), subscription("payments"), fixture.topics));
        assertThat(fixture.group.settling()).isTrue();
        assertThat(fixture.owned("A")).isEqualTo(partitions("orders", 0, 1, 2, 3));
        fixture.settle();
        assertThat(fixture.group.history().getLast().cause()).isEqualTo("A changed its subscription");
        assertThat(fixture.member("A").target()).isEqualTo(partitions("payments", 0, 1));
        fixture.releaseAll();
        assertThat(fixture.owned("A")).isEqualTo(partitions("payments", 0, 1));
        assertThat(fixture.group.owners()).hasSize(2);
    }

    // Leaves and expulsions

    @Test
    void aLeaversPartitionsAreGrantedInTheSameDecision() {
        fixture.join(spec("A", "orders"));
        fixture.join(spec("B", "orders"));
        fixture.settle();
        Decision left = fixture.ask(new Command.Leave(id("B"), LeaveCause.LEFT, false));
        assertThat(left.events())
                .extracting(event -> event.getClass().getSimpleName())
                .containsExactly("MemberLeft", "Rebalanced", "Granted");
        assertThat(fixture.owned("A")).hasSize(4);
        assertThat(fixture.group.generation()).isEqualTo(2);
        assertThat(fixture.group.history().getLast().cause()).isEqualTo("B left");
    }

    @Test
    void theLastLeaveMakesAnEmptyGeneration() {
        fixture.arrive(spec("A", "orders"));
        fixture.ask(new Command.Leave(id("A"), LeaveCause.POLL_TIMED_OUT, false));
        assertThat(fixture.group.generation()).isEqualTo(2);
        assertThat(fixture.group.owners()).isEmpty();
        assertThat(fixture.group.history().getLast().cause()).isEqualTo("A lives but did not poll or finish in time");
        assertThat(fixture.group.history().getLast().reason()).isEqualTo("the group has no members");
        fixture.arrive(spec("B", "orders"));
        assertThat(fixture.group.generation()).isEqualTo(3);
    }

    @Test
    void allMembersOfADeadProcessAreExpelledInOneGeneration() {
        fixture.join(on("h1", spec("A", "orders")));
        fixture.join(on("h2", spec("B", "orders")));
        fixture.join(on("h2", spec("C", "orders")));
        fixture.settle();
        fixture.ask(new Command.HostDied(new HostId("h2")));
        assertThat(fixture.group.generation()).isEqualTo(2);
        assertThat(fixture.group.members()).containsOnlyKeys(id("A"));
        assertThat(fixture.owned("A")).hasSize(4);
        assertThat(fixture.group.history().getLast().cause()).isEqualTo("B and C died with their process");
        assertThat(fixture.ask(new Command.HostDied(new HostId("h2"))).events()).isEmpty();
    }

    /**
     * The entry that frees a partition comes later than the death. The free time shown to people counts from the last
     * sign of life.
     */
    @Test
    void partitionsOfADeadProcessAreFreeSinceItsLastSign() {
        assertThat(freedBy(8_500)).isEqualTo(8_500);
    }

    /** Clocks differ: a sign of life from before the grant of the partition, or from the future, is ignored. */
    @Test
    void aLastSignOutsideTheOwnershipIsIgnored() {
        assertThat(freedBy(1)).isEqualTo(1_003);
        assertThat(freedBy(99_999)).isEqualTo(9_001);
    }

    /** @return time since which a partition of B had no owner, after its death was written at 9001 */
    private static long freedBy(long lastSign) {
        GroupFixture fixture = new GroupFixture().topic("orders", 4);
        fixture.join(on("h1", spec("A", "orders")));
        fixture.join(on("h2", spec("B", "orders")));
        fixture.settle();
        TopicPartition partition = fixture.owned("B").first();
        fixture.now = 9_000;
        fixture.ask(new Command.HostDied(new HostId("h2"), OptionalLong.of(lastSign)));
        Generation.Move move = fixture.group.lastMove(partition).orElseThrow().move();
        assertThat(move.takenAt()).isEqualTo(9_001);
        return move.freedAt();
    }

    @Test
    void aSilentMemberIsExpelledUnlessItMovedToAnotherHost() {
        fixture.arrive(on("h1", spec("A", "orders")));
        assertThat(fixture.ask(new Command.SessionExpired(id("A"), new HostId("h2"), LeaveCause.SESSION_EXPIRED))
                        .events())
                .isEmpty();
        fixture.ask(new Command.SessionExpired(id("A"), new HostId("h1"), LeaveCause.SESSION_EXPIRED));
        assertThat(fixture.group.members()).isEmpty();
    }

    @Test
    void aFormerMembersRefusalNamesTheCause() {
        fixture.arrive(spec("A", "orders"));
        fixture.ask(new Command.Leave(id("A"), LeaveCause.SESSION_EXPIRED, false));
        Reply.UnknownMember reply =
                (Reply.UnknownMember) fixture.reply(new Command.Release(id("A"), partitions("orders", 0)));
        assertThat(reply.text())
                .isEqualTo(
                        "member A is out since generation 1: it gave no sign of life for a whole session; join again");
        assertThat(fixture.reply(new Command.Leave(id("nobody"), LeaveCause.LEFT, false)))
                .isInstanceOf(Reply.UnknownMember.class);
        assertThat(fixture.reply(new Command.Subscribe(id("A"), subscription("orders"), fixture.topics)))
                .isInstanceOf(Reply.UnknownMember.class);
    }

    @Test
    void onlyTheLastFormerMembersAreRemembered() {
        for (int i = 0; i <= FormerMember.REMEMBERED_MAX; i++) {
            fixture.join(spec("m" + i, "orders"));
            fixture.ask(new Command.Leave(id("m" + i), LeaveCause.LEFT, false));
        }
        assertThat(text(fixture.reply(new Command.Release(id("m0"), partitions("orders")))))
                .contains("is not in the group");
        assertThat(text(fixture.reply(new Command.Release(id("m1"), partitions("orders")))))
                .contains("it left");
    }

    private static String text(Reply reply) {
        return ((Reply.Refusal) reply).text();
    }

    // Static members

    @Test
    void aStaticMemberReturnsWithoutANewGeneration() {
        fixture.arrive(as(spec("S1", "orders"), "east"));
        fixture.ask(new Command.Leave(id("S1"), LeaveCause.LEFT, true));
        assertThat(fixture.group.timers())
                .singleElement()
                .isInstanceOfSatisfying(GroupTimer.AwayDeadline.class, timer -> {
                    assertThat(timer.member()).isEqualTo(id("S1"));
                    assertThat(timer.after()).isEqualTo(Timing.DEFAULT.session());
                });
        assertThat(fixture.join(as(spec("S2", "orders"), "east"))).isEqualTo(new Reply.Joined(id("S2"), true));
        assertThat(fixture.group.generation()).isEqualTo(1);
        assertThat(fixture.group.members()).containsOnlyKeys(id("S2"));
        assertThat(fixture.owned("S2")).hasSize(4);
        assertThat(fixture.group
                        .owners()
                        .get(GroupFixture.partition("orders", 0))
                        .since())
                .isEqualTo(1);
        assertThat(fixture.group.timers()).isEmpty();
        assertThat(fixture.reply(new Command.Commit(id("S2"), 1, offsets("orders", 0, 7))))
                .isEqualTo(new Reply.Done());
    }

    @Test
    void aReplacedMemberIsFenced() {
        fixture.arrive(as(spec("S1", "orders"), "east"));
        fixture.ask(new Command.Leave(id("S1"), LeaveCause.LEFT, true));
        fixture.join(as(spec("S2", "orders"), "east"));
        List<Command> late = List.of(
                new Command.Commit(id("S1"), 1, offsets("orders", 0, 7)),
                new Command.Release(id("S1"), partitions("orders", 0)),
                new Command.Leave(id("S1"), LeaveCause.LEFT, false),
                new Command.Subscribe(id("S1"), subscription("orders"), fixture.topics));
        for (Command command : late) {
            Decision decision = fixture.ask(command);
            assertThat(decision.events()).isEmpty();
            assertThat(decision.reply()).isInstanceOfSatisfying(Reply.FencedInstance.class, fenced -> {
                assertThat(fenced.instance()).isEqualTo("east");
                assertThat(fenced.text()).contains("took the place of member S1");
            });
        }
    }

    @Test
    void anExpelledMemberWithAReusedInstanceIsFenced() {
        fixture.arrive(as(spec("S1", "orders"), "east"));
        fixture.ask(new Command.SessionExpired(id("S1"), GroupFixture.HOST, LeaveCause.SESSION_EXPIRED));
        assertThat(fixture.reply(new Command.Release(id("S1"), partitions("orders", 0))))
                .isInstanceOf(Reply.UnknownMember.class);
        fixture.join(as(spec("S2", "orders"), "east"));
        assertThat(fixture.reply(new Command.Release(id("S1"), partitions("orders", 0))))
                .isInstanceOf(Reply.FencedInstance.class);
    }

    @Test
    void anInstanceIdOfALiveMemberIsRefused() {
        fixture.arrive(as(spec("S1", "orders"), "east"));
        Decision decision = fixture.ask(new Command.Join(as(spec("S2", "orders"), "east"), fixture.topics));
        assertThat(decision.reply())
                .isInstanceOfSatisfying(
                        Reply.InstanceInUse.class,
                        inUse -> assertThat(inUse.text()).contains("belongs to member S1"));
        assertThat(decision.events()).isEmpty();
    }

    @Test
    void aStaticMemberThatStaysAwayIsExpelled() {
        fixture.arrive(as(spec("S1", "orders"), "east"));
        fixture.ask(new Command.HostDied(GroupFixture.HOST));
        GroupTimer.AwayDeadline first =
                (GroupTimer.AwayDeadline) fixture.group.timers().getFirst();
        fixture.join(as(spec("S2", "orders"), "east"));
        fixture.ask(new Command.HostDied(GroupFixture.HOST));
        assertThat(fixture.ask(new Command.Expire(first)).events())
                .as("token of another absence")
                .isEmpty();
        GroupTimer.AwayDeadline second =
                (GroupTimer.AwayDeadline) fixture.group.timers().getFirst();
        fixture.ask(new Command.Expire(new GroupTimer.AwayDeadline(id("S2"), first.token(), second.after())));
        assertThat(fixture.group.members()).as("token of an older absence").isNotEmpty();
        fixture.ask(new Command.Expire(second));
        assertThat(fixture.group.members()).isEmpty();
        assertThat(fixture.group.history().getLast().cause()).isEqualTo("S2 did not come back in time");
    }

    @Test
    void aReturningStaticMemberWithAnotherSubscriptionMakesAGeneration() {
        fixture.topic("payments", 1).arrive(as(spec("S1", "orders"), "east"));
        fixture.ask(new Command.Leave(id("S1"), LeaveCause.LEFT, true));
        fixture.join(as(spec("S2", "orders", "payments"), "east"));
        assertThat(fixture.group.settling()).isTrue();
        fixture.settle();
        assertThat(fixture.owned("S2")).hasSize(5);
        assertThat(fixture.group.history().getLast().cause()).isEqualTo("S2 came back with another subscription");
    }

    @Test
    void partitionsOfAnAwayMemberMoveWithoutItsRelease() {
        fixture.arrive(as(spec("S", "orders"), "east"));
        fixture.ask(new Command.Leave(id("S"), LeaveCause.LEFT, true));
        fixture.join(spec("B", "orders"));
        Decision settled = fixture.settle();
        assertThat(settled.events())
                .extracting(event -> event.getClass().getSimpleName())
                .containsExactly("Rebalanced", "Released", "Granted");
        assertThat(fixture.owned("B")).hasSize(2);
        assertThat(fixture.owned("S")).hasSize(2);
    }

    @Test
    void aMemberThatGoesAwayReleasesRevokedPartitions() {
        fixture.arrive(as(spec("S", "orders"), "east"));
        fixture.join(spec("B", "orders"));
        fixture.settle();
        assertThat(fixture.owned("B")).isEmpty();
        fixture.ask(new Command.Leave(id("S"), LeaveCause.LEFT, true));
        assertThat(fixture.owned("B")).hasSize(2);
        assertThat(fixture.group.generation()).isEqualTo(2);
    }

    @Test
    void aDynamicMemberCannotComeBack() {
        fixture.arrive(spec("A", "orders"));
        fixture.ask(new Command.Leave(id("A"), LeaveCause.LEFT, true));
        assertThat(fixture.group.members()).isEmpty();
    }

    // Remote members

    @Test
    void aRemoteMemberOutlivesItsServerAndIsTakenOver() {
        fixture.arrive(remote(on("broker1", spec("W", "orders"))));
        fixture.ask(new Command.HostDied(new HostId("broker1")));
        assertThat(fixture.owned("W")).hasSize(4);
        assertThat(fixture.group.timers()).hasOnlyElementsOfType(GroupTimer.AwayDeadline.class);
        assertThat(fixture.join(remote(on("broker2", spec("W", "orders"))))).isEqualTo(new Reply.Joined(id("W"), true));
        assertThat(fixture.group.timers()).isEmpty();
        assertThat(fixture.member("W").spec().host()).isEqualTo(new HostId("broker2"));
        assertThat(fixture.group.generation()).isEqualTo(1);
    }

    @Test
    void anAwayRemoteMemberMustReleaseItsPartitions() {
        fixture.arrive(remote(on("broker1", spec("W", "orders"))));
        fixture.ask(new Command.HostDied(new HostId("broker1")));
        fixture.join(spec("B", "orders"));
        fixture.settle();
        assertThat(fixture.owned("W")).hasSize(4);
        assertThat(fixture.owned("B")).isEmpty();
        assertThat(fixture.group.timers()).hasSize(2);
        fixture.releaseAll();
        assertThat(fixture.owned("B")).hasSize(2);
    }

    // Assignors

    @Test
    void theAssignorWithMostVotesIsUsed() {
        fixture.join(asking(spec("A", "orders"), "sticky"));
        fixture.join(asking(spec("B", "orders"), "range"));
        assertThat(fixture.group.assignor()).as("the smaller name of two").isEqualTo("range");
        fixture.join(asking(spec("C", "orders"), "sticky"));
        assertThat(fixture.group.assignor()).isEqualTo("sticky");
        fixture.settle();
        assertThat(fixture.group.history().getLast().assignor()).isEqualTo("sticky");
    }

    @Test
    void aJoinWithAnUnknownAssignorIsRefused() {
        Decision decision = fixture.ask(new Command.Join(asking(spec("A", "orders"), "mine"), fixture.topics));
        assertThat(decision.events()).isEmpty();
        assertThat(decision.reply())
                .isEqualTo(new Reply.UnknownAssignor(
                        "mine",
                        "this process does not have assignor \"mine\", it has range, roundrobin, sticky; register it in"
                                + " every process of the group, or ask for another one"));
    }

    @Test
    void aProcessWithoutTheAssignorLeavesTheGenerationPending() {
        Map<String, Assignor> all = new HashMap<>(Assignors.BUILT_IN);
        all.put(RandomCommands.RARE, new RandomCommands.Rare());
        fixture.assignors = all;
        fixture.join(asking(on("h1", spec("A", "orders")), RandomCommands.RARE));
        fixture.join(asking(on("h2", spec("B", "orders")), RandomCommands.RARE));
        fixture.settle();
        fixture.assignors = Assignors.BUILT_IN;
        fixture.ask(new Command.HostDied(new HostId("h2")));
        assertThat(fixture.group.members()).containsOnlyKeys(id("A"));
        assertThat(fixture.group.settling()).isTrue();
        assertThat(fixture.group.generation()).isEqualTo(1);
        assertThat(((GroupTimer.Settle) fixture.group.timers().getFirst()).first())
                .isEqualTo(new HostId("h1"));
        assertThat(fixture.settle().reply()).isInstanceOf(Reply.UnknownAssignor.class);
        fixture.assignors = all;
        fixture.settle();
        assertThat(fixture.owned("A")).hasSize(4);
        assertThat(fixture.group.history().getLast().cause()).isEqualTo("B died with its process");
    }

    @Test
    void aProcessWithoutTheAssignorStillExpelsAwayMembers() {
        Map<String, Assignor> all = new HashMap<>(Assignors.BUILT_IN);
        all.put(RandomCommands.RARE, new RandomCommands.Rare());
        fixture.assignors = all;
        fixture.join(on("h1", spec("A", "orders")));
        fixture.join(asking(as(on("h2", spec("S", "orders")), "east"), RandomCommands.RARE));
        fixture.settle();
        fixture.assignors = Assignors.BUILT_IN;
        fixture.ask(new Command.HostDied(new HostId("h2")));
        fixture.ask(new Command.Expire(
                (GroupTimer.AwayDeadline) fixture.group.timers().getFirst()));
        assertThat(fixture.owned("A")).as("sticky is what is asked for now").hasSize(4);
    }
}
