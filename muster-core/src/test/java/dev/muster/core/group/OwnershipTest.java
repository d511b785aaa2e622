package dev.muster.core.group;

import static dev.muster.core.group.GroupFixture.id;
import static dev.muster.core.group.GroupFixture.offsets;
import static dev.muster.core.group.GroupFixture.partition;
import static dev.muster.core.group.GroupFixture.partitions;
import static dev.muster.core.group.GroupFixture.spec;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.core.group.command.Command;
import dev.muster.core.group.command.Decision;
import dev.muster.core.group.command.Entry;
import dev.muster.core.group.command.Event;
import dev.muster.core.group.command.GroupTimer;
import dev.muster.core.group.command.Reply;
import dev.muster.core.group.model.Commit;
import dev.muster.core.group.model.LeaveCause;
import dev.muster.core.group.model.Ownership;
import dev.muster.core.group.model.Timing;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Moves of partitions, and the commits of their owners. */
class OwnershipTest {
    private final GroupFixture fixture = new GroupFixture().topic("orders", 4);

    private void aHasAllAndBShouldHaveHalf() {
        fixture.arrive(spec("A", "orders"));
        fixture.join(spec("B", "orders"));
        fixture.settle();
    }

    @Test
    void aPartitionMovesOnlyAfterItsOwnerReleasedIt() {
        aHasAllAndBShouldHaveHalf();
        assertThat(fixture.owned("A")).hasSize(4);
        assertThat(fixture.owned("B")).isEmpty();
        assertThat(fixture.member("A").toRelease()).isEqualTo(partitions("orders", 2, 3));
        fixture.ask(new Command.Release(id("A"), partitions("orders", 3)));
        assertThat(fixture.owned("A")).isEqualTo(partitions("orders", 0, 1, 2));
        assertThat(fixture.owned("B")).isEqualTo(partitions("orders", 3));
        fixture.releaseAll();
        assertThat(fixture.owned("A")).isEqualTo(partitions("orders", 0, 1));
        assertThat(fixture.owned("B")).isEqualTo(partitions("orders", 2, 3));
    }

    @Test
    void onlyRevokedPartitionsAreReleased() {
        aHasAllAndBShouldHaveHalf();
        assertThat(fixture.ask(new Command.Release(id("A"), partitions("orders", 0, 1, 9)))
                        .events())
                .isEmpty();
        assertThat(fixture.ask(new Command.Release(id("B"), partitions("orders", 2)))
                        .events())
                .isEmpty();
        fixture.ask(new Command.Release(id("A"), partitions("orders", 0, 2)));
        assertThat(fixture.owned("A")).isEqualTo(partitions("orders", 0, 1, 3));
    }

    @Test
    void aMemberThatDoesNotReleaseInTimeIsExpelled() {
        aHasAllAndBShouldHaveHalf();
        assertThat(fixture.group.timers())
                .containsExactly(new GroupTimer.RevokeDeadline(id("A"), 2, Timing.DEFAULT.revoke()));
        fixture.ask(
                new Command.Expire((GroupTimer.OfMember) fixture.group.timers().getFirst()));
        assertThat(fixture.group.members()).containsOnlyKeys(id("B"));
        assertThat(fixture.owned("B")).hasSize(4);
        assertThat(fixture.group.history().getLast().cause()).isEqualTo("A did not let go of its partitions in time");
    }

    @Test
    void aRevokeDeadlineAfterTheReleaseIsIgnored() {
        aHasAllAndBShouldHaveHalf();
        GroupTimer.OfMember deadline =
                (GroupTimer.OfMember) fixture.group.timers().getFirst();
        fixture.releaseAll();
        assertThat(fixture.group.timers()).isEmpty();
        assertThat(fixture.ask(new Command.Expire(deadline)).events()).isEmpty();
    }

    @Test
    void aRevokeDeadlineOfAnEarlierGenerationIsIgnored() {
        aHasAllAndBShouldHaveHalf();
        GroupTimer.OfMember old = (GroupTimer.OfMember) fixture.group.timers().getFirst();
        fixture.releaseAll();
        fixture.join(spec("C", "orders"));
        fixture.settle();
        assertThat(fixture.member("A").revokingSince()).hasValue(3);
        assertThat(fixture.ask(new Command.Expire(old)).events()).isEmpty();
    }

    @Test
    void aLaterRevocationGetsItsFullTime() {
        aHasAllAndBShouldHaveHalf();
        fixture.join(spec("C", "orders"));
        fixture.settle();
        assertThat(fixture.member("A").toRelease()).hasSize(2);
        assertThat(fixture.member("A").revokingSince())
                .as("oldest generation of its remaining releases")
                .hasValue(2);
        fixture.ask(new Command.Leave(id("B"), LeaveCause.LEFT, false));
        fixture.ask(new Command.Leave(id("C"), LeaveCause.LEFT, false));
        assertThat(fixture.member("A").revokingSince()).isEmpty();
        fixture.join(spec("D", "orders"));
        fixture.settle();
        assertThat(fixture.member("A").revokingSince()).hasValue(6);
    }

    @Test
    void aReleaseLeavesTheDeadlineOfLaterRevocations() {
        fixture.topic("payments", 2).arrive(spec("A", "orders", "payments"));
        fixture.join(spec("B", "orders"));
        fixture.settle();
        var first = fixture.member("A").toRelease();
        assertThat(fixture.member("A").revokingSince()).hasValue(2);
        fixture.join(spec("C", "payments"));
        fixture.settle();
        var both = fixture.member("A").toRelease();
        assertThat(both.size()).isGreaterThan(first.size());
        fixture.ask(new Command.Release(id("A"), first));
        assertThat(fixture.member("A").toRelease()).isNotEmpty();
        assertThat(fixture.member("A").revokingSince()).hasValue(3);
    }

    @Test
    void aPartitionGivenBackBeforeItsReleaseStays() {
        aHasAllAndBShouldHaveHalf();
        Ownership before = fixture.group.owners().get(partition("orders", 3));
        Decision left = fixture.ask(new Command.Leave(id("B"), LeaveCause.LEFT, false));
        assertThat(left.events()).noneMatch(event -> event instanceof Event.Granted);
        assertThat(fixture.owned("A")).hasSize(4);
        assertThat(fixture.group.owners().get(partition("orders", 3))).isEqualTo(before);
        assertThat(fixture.reply(new Command.Release(id("A"), partitions("orders", 3))))
                .as("a release that was on its way")
                .isEqualTo(new Reply.Done());
        assertThat(fixture.owned("A")).hasSize(4);
        assertThat(fixture.reply(new Command.Commit(id("A"), 1, offsets("orders", 3, 5))))
                .isEqualTo(new Reply.Done());
    }

    @Test
    void impossibleEventsAreRefused() {
        aHasAllAndBShouldHaveHalf();
        impossible(new Event.Granted(id("B"), partitions("orders", 2)), "orders-2 cannot be granted to B: A owns it");
        impossible(
                new Event.Released(id("B"), partitions("orders", 2)), "B cannot release orders-2: it does not own it");
        impossible(new Event.Rebalanced(2, new TreeMap<>(), "", "", ""), "generation 2 cannot come after generation 2");
        impossible(new Event.MemberJoined(spec("A", "orders")), "A cannot join: it is a member already");
        impossible(
                new Event.MemberLeft(id("C"), LeaveCause.LEFT), "an event names member C, which is not in the group");
    }

    private void impossible(Event event, String why) {
        assertThatThrownBy(() -> fixture.group.apply(new Entry(1, GroupFixture.HOST, List.of(event))))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage(why);
    }

    @Test
    void severalCommandsMayShareAnEntry() {
        Group one = fixture.group;
        Group all = fixture.group;
        List<Event> events = new ArrayList<>();
        for (Command command : List.of(
                new Command.Join(spec("A", "orders"), fixture.topics),
                new Command.Settle(1),
                new Command.Join(spec("B", "orders"), fixture.topics),
                new Command.Settle(2),
                new Command.Commit(id("A"), 2, offsets("orders", 3, 5)),
                new Command.Release(id("A"), partitions("orders", 2, 3)))) {
            Decision decision = one.decide(command, fixture.assignors);
            events.addAll(decision.events());
            one = one.apply(new Entry(7, GroupFixture.HOST, decision.events()));
        }
        assertThat(one.owners()).hasSize(4);
        assertThat(all.apply(new Entry(7, GroupFixture.HOST, events))).isEqualTo(one);
    }

    // Commits

    @Test
    void theOwnerCommitsInAnyGenerationSinceItsGrant() {
        aHasAllAndBShouldHaveHalf();
        for (long generation = 1; generation <= 2; generation++) {
            assertThat(fixture.reply(new Command.Commit(id("A"), generation, offsets("orders", 3, generation))))
                    .isEqualTo(new Reply.Done());
        }
        Commit commit = fixture.group.offsets().get(partition("orders", 3));
        assertThat(commit.offset().offset()).isEqualTo(2);
        assertThat(commit.by()).contains(id("A"));
        assertThat(commit.at()).isEqualTo(fixture.now);
        assertThat(fixture.reply(new Command.Commit(id("A"), 2, offsets("orders", 3, 1))))
                .as("set back by hand")
                .isEqualTo(new Reply.Done());
        assertThat(fixture.group.offsets().get(partition("orders", 3)).offset().offset())
                .isEqualTo(1);
    }

    @Test
    void aCommitByANonOwnerIsRefusedWithTheReason() {
        aHasAllAndBShouldHaveHalf();
        Decision decision = fixture.ask(new Command.Commit(id("B"), 2, offsets("orders", 3, 9)));
        assertThat(decision.events()).isEmpty();
        Reply.StaleGeneration refusal = (Reply.StaleGeneration) decision.reply();
        assertThat(refusal.why()).containsEntry(partition("orders", 3), "owned by A since generation 1");
        assertThat(refusal.text())
                .isEqualTo("commit of B refused, nothing was stored: orders-3: owned by A since generation 1; commit"
                        + " only what is assigned to this member now");
    }

    @Test
    void aCommitOfAnotherGenerationIsRefused() {
        aHasAllAndBShouldHaveHalf();
        fixture.releaseAll();
        assertThat(why(new Command.Commit(id("B"), 1, offsets("orders", 3, 9))))
                .isEqualTo("owned only since generation 2, the commit is of generation 1");
        assertThat(why(new Command.Commit(id("B"), 3, offsets("orders", 3, 9))))
                .isEqualTo("the commit is of generation 3, the group is only at 2");
        assertThat(why(new Command.Commit(id("B"), 2, offsets("other", 3, 9)))).isEqualTo("no member owns it");
    }

    private String why(Command.Commit commit) {
        Reply.StaleGeneration refusal = (Reply.StaleGeneration) fixture.reply(commit);
        return refusal.why().values().iterator().next();
    }

    @Test
    void aCommitIsStoredWholeOrNotAtAll() {
        aHasAllAndBShouldHaveHalf();
        fixture.releaseAll();
        var offsets = offsets("orders", 0, 5);
        offsets.putAll(offsets("orders", 3, 5));
        Reply.StaleGeneration refusal = (Reply.StaleGeneration) fixture.reply(new Command.Commit(id("A"), 2, offsets));
        assertThat(refusal.why()).containsOnlyKeys(partition("orders", 3));
        assertThat(fixture.group.offsets()).isEmpty();
    }

    @Test
    void aCommitAfterTheExpulsionIsRefused() {
        fixture.arrive(spec("A", "orders"));
        fixture.ask(new Command.SessionExpired(id("A"), GroupFixture.HOST, LeaveCause.SESSION_EXPIRED));
        fixture.arrive(spec("B", "orders"));
        assertThat(fixture.reply(new Command.Commit(id("A"), 1, offsets("orders", 0, 5))))
                .isInstanceOf(Reply.UnknownMember.class);
        assertThat(fixture.group.offsets()).isEmpty();
    }

    @Test
    void anEmptyCommitMakesNoEvent() {
        fixture.arrive(spec("A", "orders"));
        Decision decision = fixture.ask(new Command.Commit(id("A"), 1, new TreeMap<>()));
        assertThat(decision.events()).isEmpty();
        assertThat(decision.reply()).isEqualTo(new Reply.Done());
    }
}
