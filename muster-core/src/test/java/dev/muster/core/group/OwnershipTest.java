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

/** How partitions change hands, and what an owner may commit. */
class OwnershipTest {
    private final GroupFixture club = new GroupFixture().topic("orders", 4);

    private void aHasAllAndBShouldHaveHalf() {
        club.arrive(spec("A", "orders"));
        club.join(spec("B", "orders"));
        club.settle();
    }

    @Test
    void aPartitionChangesHandsOnlyWhenItsOwnerLetGo() {
        aHasAllAndBShouldHaveHalf();
        assertThat(club.owned("A")).hasSize(4);
        assertThat(club.owned("B")).isEmpty();
        assertThat(club.member("A").toRelease()).isEqualTo(partitions("orders", 2, 3));
        club.ask(new Command.Release(id("A"), partitions("orders", 3)));
        assertThat(club.owned("A")).isEqualTo(partitions("orders", 0, 1, 2));
        assertThat(club.owned("B")).isEqualTo(partitions("orders", 3));
        club.releaseAll();
        assertThat(club.owned("A")).isEqualTo(partitions("orders", 0, 1));
        assertThat(club.owned("B")).isEqualTo(partitions("orders", 2, 3));
    }

    @Test
    void onlyWhatShouldBeLetGoOfIs() {
        aHasAllAndBShouldHaveHalf();
        assertThat(club.ask(new Command.Release(id("A"), partitions("orders", 0, 1, 9)))
                        .events())
                .isEmpty();
        assertThat(club.ask(new Command.Release(id("B"), partitions("orders", 2)))
                        .events())
                .isEmpty();
        club.ask(new Command.Release(id("A"), partitions("orders", 0, 2)));
        assertThat(club.owned("A")).isEqualTo(partitions("orders", 0, 1, 3));
    }

    @Test
    void whoDoesNotLetGoInTimeIsOut() {
        aHasAllAndBShouldHaveHalf();
        assertThat(club.group.timers())
                .containsExactly(new GroupTimer.RevokeDeadline(id("A"), 2, Timing.DEFAULT.revoke()));
        club.ask(new Command.Expire((GroupTimer.OfMember) club.group.timers().getFirst()));
        assertThat(club.group.members()).containsOnlyKeys(id("B"));
        assertThat(club.owned("B")).hasSize(4);
        assertThat(club.group.history().getLast().cause()).isEqualTo("A did not let go of its partitions in time");
    }

    @Test
    void aDeadlineThatWasMetIsVoid() {
        aHasAllAndBShouldHaveHalf();
        GroupTimer.OfMember deadline = (GroupTimer.OfMember) club.group.timers().getFirst();
        club.releaseAll();
        assertThat(club.group.timers()).isEmpty();
        assertThat(club.ask(new Command.Expire(deadline)).events()).isEmpty();
    }

    @Test
    void aDeadlineOfAnEarlierRequestIsVoid() {
        aHasAllAndBShouldHaveHalf();
        GroupTimer.OfMember old = (GroupTimer.OfMember) club.group.timers().getFirst();
        club.releaseAll();
        club.join(spec("C", "orders"));
        club.settle();
        assertThat(club.member("A").revokingSince()).hasValue(3);
        assertThat(club.ask(new Command.Expire(old)).events()).isEmpty();
    }

    @Test
    void aMemberHasItsWholeTimeForWhatALaterGenerationWants() {
        aHasAllAndBShouldHaveHalf();
        club.join(spec("C", "orders"));
        club.settle();
        assertThat(club.member("A").toRelease()).hasSize(2);
        assertThat(club.member("A").revokingSince())
                .as("of the oldest that it still has")
                .hasValue(2);
        club.ask(new Command.Leave(id("B"), LeaveCause.LEFT, false));
        club.ask(new Command.Leave(id("C"), LeaveCause.LEFT, false));
        assertThat(club.member("A").revokingSince()).isEmpty();
        club.join(spec("D", "orders"));
        club.settle();
        assertThat(club.member("A").revokingSince()).hasValue(6);
    }

    @Test
    void lettingGoOfTheOldestLeavesTheDeadlineOfTheNext() {
        club.topic("payments", 2).arrive(spec("A", "orders", "payments"));
        club.join(spec("B", "orders"));
        club.settle();
        var first = club.member("A").toRelease();
        assertThat(club.member("A").revokingSince()).hasValue(2);
        club.join(spec("C", "payments"));
        club.settle();
        var both = club.member("A").toRelease();
        assertThat(both.size()).isGreaterThan(first.size());
        club.ask(new Command.Release(id("A"), first));
        assertThat(club.member("A").toRelease()).isNotEmpty();
        assertThat(club.member("A").revokingSince()).hasValue(3);
    }

    @Test
    void whatIsGivenBackBeforeItWasLetGoOfSimplyStays() {
        aHasAllAndBShouldHaveHalf();
        Ownership before = club.group.owners().get(partition("orders", 3));
        Decision left = club.ask(new Command.Leave(id("B"), LeaveCause.LEFT, false));
        assertThat(left.events()).noneMatch(event -> event instanceof Event.Granted);
        assertThat(club.owned("A")).hasSize(4);
        assertThat(club.group.owners().get(partition("orders", 3))).isEqualTo(before);
        assertThat(club.reply(new Command.Release(id("A"), partitions("orders", 3))))
                .as("a release that was on its way")
                .isEqualTo(new Reply.Done());
        assertThat(club.owned("A")).hasSize(4);
        assertThat(club.reply(new Command.Commit(id("A"), 1, offsets("orders", 3, 5))))
                .isEqualTo(new Reply.Done());
    }

    @Test
    void whatMustNeverBeCannotBeWrittenDown() {
        aHasAllAndBShouldHaveHalf();
        impossible(new Event.Granted(id("B"), partitions("orders", 2)), "orders-2 cannot be given to B: A owns it");
        impossible(
                new Event.Released(id("B"), partitions("orders", 2)),
                "B cannot let go of orders-2: it does not own it");
        impossible(new Event.Rebalanced(2, new TreeMap<>(), "", "", ""), "generation 2 cannot come after generation 2");
        impossible(new Event.MemberJoined(spec("A", "orders")), "A cannot join: it is there");
        impossible(new Event.MemberLeft(id("C"), LeaveCause.LEFT), "an event tells of member C, who is not there");
    }

    private void impossible(Event event, String why) {
        assertThatThrownBy(() -> club.group.apply(new Entry(1, GroupFixture.HOST, List.of(event))))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage(why);
    }

    @Test
    void severalCommandsMayShareAnEntry() {
        Group one = club.group;
        Group all = club.group;
        List<Event> events = new ArrayList<>();
        for (Command command : List.of(
                new Command.Join(spec("A", "orders"), club.topics),
                new Command.Settle(1),
                new Command.Join(spec("B", "orders"), club.topics),
                new Command.Settle(2),
                new Command.Commit(id("A"), 2, offsets("orders", 3, 5)),
                new Command.Release(id("A"), partitions("orders", 2, 3)))) {
            Decision decision = one.decide(command, club.assignors);
            events.addAll(decision.events());
            one = one.apply(new Entry(7, GroupFixture.HOST, decision.events()));
        }
        assertThat(one.owners()).hasSize(4);
        assertThat(all.apply(new Entry(7, GroupFixture.HOST, events))).isEqualTo(one);
    }

    // Commits

    @Test
    void theOwnerCommitsInAnyGenerationSinceItOwns() {
        aHasAllAndBShouldHaveHalf();
        for (long generation = 1; generation <= 2; generation++) {
            assertThat(club.reply(new Command.Commit(id("A"), generation, offsets("orders", 3, generation))))
                    .isEqualTo(new Reply.Done());
        }
        Commit commit = club.group.offsets().get(partition("orders", 3));
        assertThat(commit.offset().offset()).isEqualTo(2);
        assertThat(commit.by()).contains(id("A"));
        assertThat(commit.at()).isEqualTo(club.now);
        assertThat(club.reply(new Command.Commit(id("A"), 2, offsets("orders", 3, 1))))
                .as("back, on purpose")
                .isEqualTo(new Reply.Done());
        assertThat(club.group.offsets().get(partition("orders", 3)).offset().offset())
                .isEqualTo(1);
    }

    @Test
    void aCommitOfWhoIsNotTheOwnerIsRefusedAndSaysWhy() {
        aHasAllAndBShouldHaveHalf();
        Decision decision = club.ask(new Command.Commit(id("B"), 2, offsets("orders", 3, 9)));
        assertThat(decision.events()).isEmpty();
        Reply.StaleGeneration refusal = (Reply.StaleGeneration) decision.reply();
        assertThat(refusal.why()).containsEntry(partition("orders", 3), "owned by A since generation 1");
        assertThat(refusal.text())
                .isEqualTo("commit of B refused, nothing was stored: orders-3: owned by A since generation 1; commit"
                        + " only what is assigned to this member now");
    }

    @Test
    void aCommitOfBeforeOrAfterItsTimeIsRefused() {
        aHasAllAndBShouldHaveHalf();
        club.releaseAll();
        assertThat(why(new Command.Commit(id("B"), 1, offsets("orders", 3, 9))))
                .isEqualTo("owned only since generation 2, the commit is of generation 1");
        assertThat(why(new Command.Commit(id("B"), 3, offsets("orders", 3, 9))))
                .isEqualTo("the commit is of generation 3, the group is only at 2");
        assertThat(why(new Command.Commit(id("B"), 2, offsets("other", 3, 9)))).isEqualTo("nobody owns it");
    }

    private String why(Command.Commit commit) {
        Reply.StaleGeneration refusal = (Reply.StaleGeneration) club.reply(commit);
        return refusal.why().values().iterator().next();
    }

    @Test
    void aCommitIsTakenWholeOrNotAtAll() {
        aHasAllAndBShouldHaveHalf();
        club.releaseAll();
        var offsets = offsets("orders", 0, 5);
        offsets.putAll(offsets("orders", 3, 5));
        Reply.StaleGeneration refusal = (Reply.StaleGeneration) club.reply(new Command.Commit(id("A"), 2, offsets));
        assertThat(refusal.why()).containsOnlyKeys(partition("orders", 3));
        assertThat(club.group.offsets()).isEmpty();
    }

    @Test
    void aSleeperWhoCommitsAfterItWasExpelledIsRefused() {
        club.arrive(spec("A", "orders"));
        club.ask(new Command.SessionExpired(id("A"), GroupFixture.HOST, LeaveCause.SESSION_EXPIRED));
        club.arrive(spec("B", "orders"));
        assertThat(club.reply(new Command.Commit(id("A"), 1, offsets("orders", 0, 5))))
                .isInstanceOf(Reply.UnknownMember.class);
        assertThat(club.group.offsets()).isEmpty();
    }

    @Test
    void anEmptyCommitIsNothing() {
        club.arrive(spec("A", "orders"));
        Decision decision = club.ask(new Command.Commit(id("A"), 1, new TreeMap<>()));
        assertThat(decision.events()).isEmpty();
        assertThat(decision.reply()).isEqualTo(new Reply.Done());
    }
}
