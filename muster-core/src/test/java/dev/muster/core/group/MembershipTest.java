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

/** Who comes, goes, falls silent and comes back, and which generations that makes. */
class MembershipTest {
    private final GroupFixture club = new GroupFixture().topic("orders", 4);

    // Coming

    @Test
    void joinsThatArriveTogetherAreTakenTogether() {
        assertThat(club.join(spec("A", "orders"))).isEqualTo(new Reply.Joined(id("A"), false));
        long first = club.group.pending().token();
        club.join(spec("B", "orders"));
        assertThat(club.group.generation()).isZero();
        assertThat(club.group.settling()).isTrue();
        assertThat(club.ask(new Command.Settle(first)).events())
                .as("an older token")
                .isEmpty();
        club.settle();
        assertThat(club.group.generation()).isEqualTo(1);
        assertThat(club.owned("A")).isEqualTo(partitions("orders", 0, 2));
        assertThat(club.owned("B")).isEqualTo(partitions("orders", 1, 3));
        assertThat(club.group.history().getLast().cause()).isEqualTo("A and B joined");
        assertThat(club.group.settling()).isFalse();
        assertThat(club.group.timers()).isEmpty();
    }

    @Test
    void everyJoinAsksForATimerOfItsOwnAndTheLastJoinersProcessIsFirstInLine() {
        club.join(on("h1", spec("A", "orders")));
        GroupTimer.Settle first = (GroupTimer.Settle) club.group.timers().getFirst();
        club.join(on("h2", spec("B", "orders")));
        GroupTimer.Settle second = (GroupTimer.Settle) club.group.timers().getFirst();
        assertThat(first.first()).isEqualTo(new HostId("h1"));
        assertThat(second.first()).isEqualTo(new HostId("h2"));
        assertThat(second.token()).isNotEqualTo(first.token());
        assertThat(first.after()).isLessThanOrEqualTo(Duration.ofMillis(15)).isGreaterThan(Duration.ofMillis(14));
        assertThat(second.after()).isLessThan(first.after());
    }

    @Test
    void joinsThatNeverStopArrivingCannotHoldAGenerationUp() {
        Duration last = Duration.ofDays(1);
        for (int i = 0; i < PendingRebalance.JOINS_MAX; i++) {
            club.join(spec("m" + i, "orders"));
            Duration after = club.group.timers().getFirst().after();
            assertThat(after).isLessThan(last);
            last = after;
        }
        assertThat(last).isZero();
        club.settle();
        assertThat(club.group.history().getLast().cause()).isEqualTo("m0, m1, m2 and 125 more joined");
    }

    @Test
    void forRemoteMembersTheGroupWaitsLongerTheMoreHaveCome() {
        club.join(remote(spec("A", "orders")));
        GroupTimer.Settle first = (GroupTimer.Settle) club.group.timers().getFirst();
        assertThat(first.after()).isEqualTo(PendingRebalance.SETTLE_REMOTE.plus(PendingRebalance.SETTLE_REMOTE_EACH));
        assertThat(first.atMost()).isEqualTo(PendingRebalance.SETTLE_REMOTE_MAX);
        for (int i = 0; i < 200; i++) {
            club.join(remote(spec("m" + i, "orders")));
        }
        GroupTimer.Settle last = (GroupTimer.Settle) club.group.timers().getFirst();
        assertThat(last.after()).isEqualTo(PendingRebalance.SETTLE_REMOTE_LONGEST);
    }

    @Test
    void aCrowdThatComesToAGroupWithoutAGenerationGetsOneAndNothingElseYet() {
        for (int i = 0; i <= PendingRebalance.CROWD; i++) {
            assertThat(club.group.generation()).isZero();
            club.join(remote(spec("m" + i, "orders")));
        }
        assertThat(club.group.generation()).isEqualTo(1);
        assertThat(club.group.crowded()).isTrue();
        assertThat(club.group.owners()).isEmpty();
        assertThat(club.group.settling()).isTrue();
        club.settle();
        assertThat(club.group.generation()).isEqualTo(2);
        assertThat(club.group.owners()).hasSize(4);
    }

    @Test
    void joiningTwiceWithTheSameIdIsJoiningOnce() {
        club.arrive(spec("A", "orders"));
        Decision again = club.ask(new Command.Join(spec("A", "orders"), club.topics));
        assertThat(again.events()).isEmpty();
        assertThat(again.reply()).isEqualTo(new Reply.Joined(id("A"), true));
    }

    @Test
    void moreMembersThanPartitionsIsNoMisfortune() {
        for (int i = 0; i < 6; i++) {
            club.join(spec("m" + i, "orders"));
        }
        club.settle();
        assertThat(club.group.owners()).hasSize(4);
        assertThat(club.owned("m5")).isEmpty();
        club.ask(new Command.Leave(id("m0"), LeaveCause.LEFT, false));
        assertThat(club.group.owners()).hasSize(4);
    }

    @Test
    void anotherSubscriptionIsTakenIntoTheNextGeneration() {
        club.topic("payments", 2).arrive(spec("A", "orders"));
        club.ask(new Command.Subscribe(id("A"), subscription("payments"), club.topics));
        assertThat(club.group.settling()).isTrue();
        assertThat(club.owned("A")).isEqualTo(partitions("orders", 0, 1, 2, 3));
        club.settle();
        assertThat(club.group.history().getLast().cause()).isEqualTo("A changed its subscription");
        assertThat(club.member("A").target()).isEqualTo(partitions("payments", 0, 1));
        club.releaseAll();
        assertThat(club.owned("A")).isEqualTo(partitions("payments", 0, 1));
        assertThat(club.group.owners()).hasSize(2);
    }

    // Going

    @Test
    void whoLeavesIsReplacedInTheSameDecision() {
        club.join(spec("A", "orders"));
        club.join(spec("B", "orders"));
        club.settle();
        Decision left = club.ask(new Command.Leave(id("B"), LeaveCause.LEFT, false));
        assertThat(left.events())
                .extracting(event -> event.getClass().getSimpleName())
                .containsExactly("MemberLeft", "Rebalanced", "Granted");
        assertThat(club.owned("A")).hasSize(4);
        assertThat(club.group.generation()).isEqualTo(2);
        assertThat(club.group.history().getLast().cause()).isEqualTo("B left");
    }

    @Test
    void theLastOneOutLeavesAnEmptyGenerationBehind() {
        club.arrive(spec("A", "orders"));
        club.ask(new Command.Leave(id("A"), LeaveCause.POLL_TIMED_OUT, false));
        assertThat(club.group.generation()).isEqualTo(2);
        assertThat(club.group.owners()).isEmpty();
        assertThat(club.group.history().getLast().cause()).isEqualTo("A lives but did not poll or finish in time");
        assertThat(club.group.history().getLast().reason()).isEqualTo("the group has no members");
        club.arrive(spec("B", "orders"));
        assertThat(club.group.generation()).isEqualTo(3);
    }

    @Test
    void allOfADeadProcessAreOutInOneGeneration() {
        club.join(on("h1", spec("A", "orders")));
        club.join(on("h2", spec("B", "orders")));
        club.join(on("h2", spec("C", "orders")));
        club.settle();
        club.ask(new Command.HostDied(new HostId("h2")));
        assertThat(club.group.generation()).isEqualTo(2);
        assertThat(club.group.members()).containsOnlyKeys(id("A"));
        assertThat(club.owned("A")).hasSize(4);
        assertThat(club.group.history().getLast().cause()).isEqualTo("B and C died with their process");
        assertThat(club.ask(new Command.HostDied(new HostId("h2"))).events()).isEmpty();
    }

    /** The entry that frees a partition comes later than the death: people want to know how long nothing was read. */
    @Test
    void partitionsOfADeadProcessHaveNoOwnerSinceItsLastSign() {
        assertThat(freedBy(8_500)).isEqualTo(8_500);
    }

    /** Clocks differ: a sign of life from before the partition was given to it, or from the future, says nothing. */
    @Test
    void aLastSignOutsideTheOwnershipIsNotBelieved() {
        assertThat(freedBy(1)).isEqualTo(1_003);
        assertThat(freedBy(99_999)).isEqualTo(9_001);
    }

    /** @return since when a partition of B was without an owner, after its death was written down at 9001 */
    private static long freedBy(long lastSign) {
        GroupFixture club = new GroupFixture().topic("orders", 4);
        club.join(on("h1", spec("A", "orders")));
        club.join(on("h2", spec("B", "orders")));
        club.settle();
        TopicPartition partition = club.owned("B").first();
        club.now = 9_000;
        club.ask(new Command.HostDied(new HostId("h2"), OptionalLong.of(lastSign)));
        Generation.Move move = club.group.lastMove(partition).orElseThrow().move();
        assertThat(move.takenAt()).isEqualTo(9_001);
        return move.freedAt();
    }

    @Test
    void aSilentMemberIsOutUnlessItLivesElsewhereByNow() {
        club.arrive(on("h1", spec("A", "orders")));
        assertThat(club.ask(new Command.SessionExpired(id("A"), new HostId("h2"), LeaveCause.SESSION_EXPIRED))
                        .events())
                .isEmpty();
        club.ask(new Command.SessionExpired(id("A"), new HostId("h1"), LeaveCause.SESSION_EXPIRED));
        assertThat(club.group.members()).isEmpty();
    }

    @Test
    void whoComesLateIsToldWhy() {
        club.arrive(spec("A", "orders"));
        club.ask(new Command.Leave(id("A"), LeaveCause.SESSION_EXPIRED, false));
        Reply.UnknownMember reply =
                (Reply.UnknownMember) club.reply(new Command.Release(id("A"), partitions("orders", 0)));
        assertThat(reply.text())
                .isEqualTo(
                        "member A is out since generation 1: it gave no sign of life for a whole session; join again");
        assertThat(club.reply(new Command.Leave(id("nobody"), LeaveCause.LEFT, false)))
                .isInstanceOf(Reply.UnknownMember.class);
        assertThat(club.reply(new Command.Subscribe(id("A"), subscription("orders"), club.topics)))
                .isInstanceOf(Reply.UnknownMember.class);
    }

    @Test
    void onlyTheLastThatWentAreRemembered() {
        for (int i = 0; i <= FormerMember.REMEMBERED_MAX; i++) {
            club.join(spec("m" + i, "orders"));
            club.ask(new Command.Leave(id("m" + i), LeaveCause.LEFT, false));
        }
        assertThat(text(club.reply(new Command.Release(id("m0"), partitions("orders")))))
                .contains("is not in the group");
        assertThat(text(club.reply(new Command.Release(id("m1"), partitions("orders")))))
                .contains("it left");
    }

    private static String text(Reply reply) {
        return ((Reply.Refusal) reply).text();
    }

    // Static members

    @Test
    void aStaticMemberComesBackWithoutAGeneration() {
        club.arrive(as(spec("S1", "orders"), "east"));
        club.ask(new Command.Leave(id("S1"), LeaveCause.LEFT, true));
        assertThat(club.group.timers()).singleElement().isInstanceOfSatisfying(GroupTimer.AwayDeadline.class, timer -> {
            assertThat(timer.member()).isEqualTo(id("S1"));
            assertThat(timer.after()).isEqualTo(Timing.DEFAULT.session());
        });
        assertThat(club.join(as(spec("S2", "orders"), "east"))).isEqualTo(new Reply.Joined(id("S2"), true));
        assertThat(club.group.generation()).isEqualTo(1);
        assertThat(club.group.members()).containsOnlyKeys(id("S2"));
        assertThat(club.owned("S2")).hasSize(4);
        assertThat(club.group.owners().get(GroupFixture.partition("orders", 0)).since())
                .isEqualTo(1);
        assertThat(club.group.timers()).isEmpty();
        assertThat(club.reply(new Command.Commit(id("S2"), 1, offsets("orders", 0, 7))))
                .isEqualTo(new Reply.Done());
    }

    @Test
    void whoWasReplacedIsFenced() {
        club.arrive(as(spec("S1", "orders"), "east"));
        club.ask(new Command.Leave(id("S1"), LeaveCause.LEFT, true));
        club.join(as(spec("S2", "orders"), "east"));
        List<Command> late = List.of(
                new Command.Commit(id("S1"), 1, offsets("orders", 0, 7)),
                new Command.Release(id("S1"), partitions("orders", 0)),
                new Command.Leave(id("S1"), LeaveCause.LEFT, false),
                new Command.Subscribe(id("S1"), subscription("orders"), club.topics));
        for (Command command : late) {
            Decision decision = club.ask(command);
            assertThat(decision.events()).isEmpty();
            assertThat(decision.reply()).isInstanceOfSatisfying(Reply.FencedInstance.class, fenced -> {
                assertThat(fenced.instance()).isEqualTo("east");
                assertThat(fenced.text()).contains("took the place of member S1");
            });
        }
    }

    @Test
    void whoWasExpelledAndWhoseInstanceCameAgainIsFencedToo() {
        club.arrive(as(spec("S1", "orders"), "east"));
        club.ask(new Command.SessionExpired(id("S1"), GroupFixture.HOST, LeaveCause.SESSION_EXPIRED));
        assertThat(club.reply(new Command.Release(id("S1"), partitions("orders", 0))))
                .isInstanceOf(Reply.UnknownMember.class);
        club.join(as(spec("S2", "orders"), "east"));
        assertThat(club.reply(new Command.Release(id("S1"), partitions("orders", 0))))
                .isInstanceOf(Reply.FencedInstance.class);
    }

    @Test
    void anInstanceThatIsThereIsInUse() {
        club.arrive(as(spec("S1", "orders"), "east"));
        Decision decision = club.ask(new Command.Join(as(spec("S2", "orders"), "east"), club.topics));
        assertThat(decision.reply())
                .isInstanceOfSatisfying(
                        Reply.InstanceInUse.class,
                        inUse -> assertThat(inUse.text()).contains("belongs to member S1"));
        assertThat(decision.events()).isEmpty();
    }

    @Test
    void aStaticMemberThatStaysAwayIsOut() {
        club.arrive(as(spec("S1", "orders"), "east"));
        club.ask(new Command.HostDied(GroupFixture.HOST));
        GroupTimer.AwayDeadline first =
                (GroupTimer.AwayDeadline) club.group.timers().getFirst();
        club.join(as(spec("S2", "orders"), "east"));
        club.ask(new Command.HostDied(GroupFixture.HOST));
        assertThat(club.ask(new Command.Expire(first)).events())
                .as("of another going")
                .isEmpty();
        GroupTimer.AwayDeadline second =
                (GroupTimer.AwayDeadline) club.group.timers().getFirst();
        club.ask(new Command.Expire(new GroupTimer.AwayDeadline(id("S2"), first.token(), second.after())));
        assertThat(club.group.members()).as("of an older going").isNotEmpty();
        club.ask(new Command.Expire(second));
        assertThat(club.group.members()).isEmpty();
        assertThat(club.group.history().getLast().cause()).isEqualTo("S2 did not come back in time");
    }

    @Test
    void aStaticMemberThatComesBackWithAnotherSubscriptionMakesAGeneration() {
        club.topic("payments", 1).arrive(as(spec("S1", "orders"), "east"));
        club.ask(new Command.Leave(id("S1"), LeaveCause.LEFT, true));
        club.join(as(spec("S2", "orders", "payments"), "east"));
        assertThat(club.group.settling()).isTrue();
        club.settle();
        assertThat(club.owned("S2")).hasSize(5);
        assertThat(club.group.history().getLast().cause()).isEqualTo("S2 came back with another subscription");
    }

    @Test
    void whatAMemberThatWentHandsOverNeedsNoRelease() {
        club.arrive(as(spec("S", "orders"), "east"));
        club.ask(new Command.Leave(id("S"), LeaveCause.LEFT, true));
        club.join(spec("B", "orders"));
        Decision settled = club.settle();
        assertThat(settled.events())
                .extracting(event -> event.getClass().getSimpleName())
                .containsExactly("Rebalanced", "Released", "Granted");
        assertThat(club.owned("B")).hasSize(2);
        assertThat(club.owned("S")).hasSize(2);
    }

    @Test
    void whoGoesWhileItShouldLetGoLetsGo() {
        club.arrive(as(spec("S", "orders"), "east"));
        club.join(spec("B", "orders"));
        club.settle();
        assertThat(club.owned("B")).isEmpty();
        club.ask(new Command.Leave(id("S"), LeaveCause.LEFT, true));
        assertThat(club.owned("B")).hasSize(2);
        assertThat(club.group.generation()).isEqualTo(2);
    }

    @Test
    void aDynamicMemberCannotComeBack() {
        club.arrive(spec("A", "orders"));
        club.ask(new Command.Leave(id("A"), LeaveCause.LEFT, true));
        assertThat(club.group.members()).isEmpty();
    }

    // Remote members

    @Test
    void aRemoteMemberOutlivesItsProcessAndIsTakenOver() {
        club.arrive(remote(on("broker1", spec("W", "orders"))));
        club.ask(new Command.HostDied(new HostId("broker1")));
        assertThat(club.owned("W")).hasSize(4);
        assertThat(club.group.timers()).hasOnlyElementsOfType(GroupTimer.AwayDeadline.class);
        assertThat(club.join(remote(on("broker2", spec("W", "orders"))))).isEqualTo(new Reply.Joined(id("W"), true));
        assertThat(club.group.timers()).isEmpty();
        assertThat(club.member("W").spec().host()).isEqualTo(new HostId("broker2"));
        assertThat(club.group.generation()).isEqualTo(1);
    }

    @Test
    void aRemoteMemberThatIsAwayMayStillWorkSoItIsAsked() {
        club.arrive(remote(on("broker1", spec("W", "orders"))));
        club.ask(new Command.HostDied(new HostId("broker1")));
        club.join(spec("B", "orders"));
        club.settle();
        assertThat(club.owned("W")).hasSize(4);
        assertThat(club.owned("B")).isEmpty();
        assertThat(club.group.timers()).hasSize(2);
        club.releaseAll();
        assertThat(club.owned("B")).hasSize(2);
    }

    // Assignors

    @Test
    void theAssignorMostMembersAskForIsUsed() {
        club.join(asking(spec("A", "orders"), "sticky"));
        club.join(asking(spec("B", "orders"), "range"));
        assertThat(club.group.assignor()).as("the smaller name of two").isEqualTo("range");
        club.join(asking(spec("C", "orders"), "sticky"));
        assertThat(club.group.assignor()).isEqualTo("sticky");
        club.settle();
        assertThat(club.group.history().getLast().assignor()).isEqualTo("sticky");
    }

    @Test
    void whoAsksForAnAssignorThatThisProcessLacksIsRefused() {
        Decision decision = club.ask(new Command.Join(asking(spec("A", "orders"), "mine"), club.topics));
        assertThat(decision.events()).isEmpty();
        assertThat(decision.reply())
                .isEqualTo(new Reply.UnknownAssignor(
                        "mine",
                        "this process does not have assignor \"mine\", it has range, roundrobin, sticky; register it in"
                                + " every process of the group, or ask for another one"));
    }

    @Test
    void aProcessWithoutTheAssignorLeavesTheGenerationToOneThatHasIt() {
        Map<String, Assignor> all = new HashMap<>(Assignors.BUILT_IN);
        all.put(RandomCommands.RARE, new RandomCommands.Rare());
        club.assignors = all;
        club.join(asking(on("h1", spec("A", "orders")), RandomCommands.RARE));
        club.join(asking(on("h2", spec("B", "orders")), RandomCommands.RARE));
        club.settle();
        club.assignors = Assignors.BUILT_IN;
        club.ask(new Command.HostDied(new HostId("h2")));
        assertThat(club.group.members()).containsOnlyKeys(id("A"));
        assertThat(club.group.settling()).isTrue();
        assertThat(club.group.generation()).isEqualTo(1);
        assertThat(((GroupTimer.Settle) club.group.timers().getFirst()).first()).isEqualTo(new HostId("h1"));
        assertThat(club.settle().reply()).isInstanceOf(Reply.UnknownAssignor.class);
        club.assignors = all;
        club.settle();
        assertThat(club.owned("A")).hasSize(4);
        assertThat(club.group.history().getLast().cause()).isEqualTo("B died with its process");
    }

    @Test
    void aProcessWithoutTheAssignorStillEndsThePlaceOfWhoStaysAway() {
        Map<String, Assignor> all = new HashMap<>(Assignors.BUILT_IN);
        all.put(RandomCommands.RARE, new RandomCommands.Rare());
        club.assignors = all;
        club.join(on("h1", spec("A", "orders")));
        club.join(asking(as(on("h2", spec("S", "orders")), "east"), RandomCommands.RARE));
        club.settle();
        club.assignors = Assignors.BUILT_IN;
        club.ask(new Command.HostDied(new HostId("h2")));
        club.ask(
                new Command.Expire((GroupTimer.AwayDeadline) club.group.timers().getFirst()));
        assertThat(club.owned("A")).as("sticky is what is asked for now").hasSize(4);
    }
}
