package dev.muster.core.group;

import static dev.muster.core.group.GroupFixture.id;
import static dev.muster.core.group.GroupFixture.offsets;
import static dev.muster.core.group.GroupFixture.partitions;
import static dev.muster.core.group.GroupFixture.spec;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.core.MemberId;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.command.Command;
import dev.muster.core.group.command.Decision;
import dev.muster.core.group.command.Entry;
import dev.muster.core.group.command.Event;
import dev.muster.core.group.model.LeaveCause;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Plants mistakes in true events, because a {@link Referee} is useful only if it finds them. */
class RefereeTest {
    private final GroupFixture fixture = new GroupFixture().topic("orders", 4);
    private final Referee referee = new Referee();

    /** Decides a command and gives its events to the referee and to the group, unchanged. */
    private void honest(Command command) {
        List<Event> events = fixture.ask(command).events();
        referee.watch(events);
        referee.rest();
        referee.compare(fixture.group);
    }

    private void settle() {
        honest(new Command.Settle(fixture.group.pending().token()));
    }

    private void aHasAllAndBJoined() {
        honest(new Command.Join(spec("A", "orders"), fixture.topics));
        settle();
        honest(new Command.Join(spec("B", "orders"), fixture.topics));
    }

    private void tampered(Command command, UnaryOperator<List<Event>> bug, String foul) {
        List<Event> events =
                new ArrayList<>(fixture.group.decide(command, fixture.assignors).events());
        List<Event> wrong = bug.apply(new ArrayList<>(events));
        assertThat(wrong).isNotEqualTo(events);
        assertThatThrownBy(() -> {
                    referee.watch(wrong);
                    referee.rest();
                })
                .isInstanceOf(Referee.Foul.class)
                .hasMessageContaining(foul);
    }

    private Command.Release release() {
        return new Command.Release(id("A"), fixture.member("A").toRelease());
    }

    @Test
    void aGrantBeforeTheReleaseIsFound() {
        aHasAllAndBJoined();
        settle();
        tampered(release(), events -> events.reversed(), "while Holding[member=A");
    }

    @Test
    void aGrantWithoutAReleaseIsFound() {
        aHasAllAndBJoined();
        tampered(
                new Command.Settle(fixture.group.pending().token()),
                events -> with(events, new Event.Granted(id("B"), partitions("orders", 3))),
                "orders-3 granted to B while Holding[member=A");
    }

    @Test
    void aGrantToTwoMembersIsFound() {
        honest(new Command.Join(spec("A", "orders"), fixture.topics));
        honest(new Command.Join(spec("B", "orders"), fixture.topics));
        tampered(
                new Command.Settle(fixture.group.pending().token()),
                events -> with(events, new Event.Granted(id("A"), partitions("orders", 1))),
                "orders-1 granted to A while Holding[member=B");
    }

    @Test
    void aGrantOutsideTheTargetIsFound() {
        aHasAllAndBJoined();
        settle();
        tampered(
                release(),
                events -> replaced(
                        events,
                        1,
                        new Event.Granted(id("A"), fixture.member("A").toRelease())),
                "granted to A, it is not meant for it");
    }

    @Test
    void aPartitionLeftWithoutOwnerIsFound() {
        aHasAllAndBJoined();
        settle();
        tampered(release(), events -> events.subList(0, 1), "has no owner, and no release is awaited");
    }

    @Test
    void anAssignmentWithoutAPartitionIsFound() {
        tamperedTargets(targets -> targets.get(id("B")).removeFirst(), "targets are not what members read");
    }

    @Test
    void anAssignmentOfAPartitionToTwoMembersIsFound() {
        tamperedTargets(targets -> targets.get(id("B")).addAll(targets.get(id("A"))), "is in two targets");
    }

    @Test
    void anAssignmentToANonMemberIsFound() {
        tamperedTargets(targets -> targets.put(id("C"), targets.remove(id("B"))), "C is not a member");
    }

    private void tamperedTargets(Consumer<SortedMap<MemberId, SortedSet<TopicPartition>>> bug, String foul) {
        aHasAllAndBJoined();
        tampered(
                new Command.Settle(fixture.group.pending().token()),
                events -> {
                    Event.Rebalanced honest = (Event.Rebalanced) events.getFirst();
                    SortedMap<MemberId, SortedSet<TopicPartition>> targets = new TreeMap<>();
                    honest.targets().forEach((member, target) -> targets.put(member, new TreeSet<>(target)));
                    bug.accept(targets);
                    return replaced(events, 0, new Event.Rebalanced(honest.generation(), targets, "", "", ""));
                },
                foul);
    }

    @Test
    void aRepeatedGenerationNumberIsFound() {
        aHasAllAndBJoined();
        tampered(
                new Command.Settle(fixture.group.pending().token()),
                events -> {
                    Event.Rebalanced honest = (Event.Rebalanced) events.getFirst();
                    return replaced(events, 0, new Event.Rebalanced(1, honest.targets(), "", "", ""));
                },
                "generation 1 after 1");
    }

    @Test
    void aCommitByANonOwnerIsFound() {
        aHasAllAndBJoined();
        settle();
        tampered(
                new Command.Commit(id("A"), 2, offsets("orders", 0, 5)),
                events -> List.of(new Event.Committed(id("B"), offsets("orders", 0, 5))),
                "B committed orders-0 of Holding[member=A");
    }

    @Test
    void aGrantWithoutTheOwnersExpulsionIsFound() {
        aHasAllAndBJoined();
        settle();
        honest(release());
        tampered(
                new Command.Leave(id("B"), LeaveCause.LEFT, false),
                events -> events.subList(2, events.size()),
                "while Holding[member=B");
    }

    @Test
    void aReleaseInsideTheTargetIsFound() {
        aHasAllAndBJoined();
        settle();
        tampered(
                release(),
                events -> List.of(new Event.Released(id("A"), partitions("orders", 0))),
                "A released orders-0, which it should keep");
    }

    @Test
    void theReplacementOfALiveMemberIsFound() {
        aHasAllAndBJoined();
        tampered(
                new Command.Settle(fixture.group.pending().token()),
                events -> List.of(new Event.MemberReturned(id("A"), spec("C", "orders"))),
                "C took the place of A");
    }

    @Test
    void aStateThatDiffersFromTheRefereesIsFound() {
        aHasAllAndBJoined();
        settle();
        List<Event> events = fixture.group.decide(release(), fixture.assignors).events();
        referee.watch(events);
        assertThatThrownBy(() -> referee.compare(fixture.group)).isInstanceOf(Referee.Foul.class);
    }

    /** Random lives in which a grant is moved before the event that frees its partition, wherever that is possible. */
    @Test
    void inRandomLivesEveryGrantBeforeItsReleaseIsFound() {
        long seed = System.nanoTime();
        System.out.println("planted grants: seed " + seed);
        int planted = 0;
        RandomCommands play = new RandomCommands(seed);
        Referee watching = new Referee();
        Group group = Group.empty();
        for (int step = 0; step < 3_000; step++) {
            Decision decision = group.decide(play.next(group), play.assignors());
            Optional<List<Event>> bug = grantFirst(decision.events());
            if (bug.isPresent()) {
                planted++;
                Referee tricked = copy(group);
                assertThatThrownBy(() -> tricked.watch(bug.get()))
                        .as("seed %d, step %d", seed, step)
                        .isInstanceOf(Referee.Foul.class);
            }
            watching.watch(decision.events());
            group = group.apply(new Entry(1, GroupFixture.HOST, decision.events()));
        }
        System.out.println("planted grants: " + planted + " planted, all seen");
        assertThat(planted).isPositive();
    }

    private static Optional<List<Event>> grantFirst(List<Event> events) {
        for (int i = 0; i + 1 < events.size(); i++) {
            if (events.get(i) instanceof Event.Released
                    && events.get(i + 1) instanceof Event.Granted granted
                    && ((Event.Released) events.get(i)).partitions().containsAll(granted.partitions())) {
                List<Event> swapped = new ArrayList<>(events);
                swapped.set(i, events.get(i + 1));
                swapped.set(i + 1, events.get(i));
                return Optional.of(swapped);
            }
        }
        return Optional.empty();
    }

    /** A referee with the state that this group shows. */
    private static Referee copy(Group group) {
        Referee referee = new Referee();
        referee.generation = group.generation();
        referee.topics.putAll(group.topics());
        group.members().forEach((member, of) -> {
            referee.members.put(member, of.spec());
            of.target().forEach(partition -> referee.targets.put(partition, member));
            of.away().ifPresent(token -> referee.away.add(member));
        });
        group.owners()
                .forEach((partition, owner) ->
                        referee.holders.put(partition, new Referee.Holding(owner.member(), owner.since())));
        return referee;
    }

    private static List<Event> with(List<Event> events, Event more) {
        events.add(more);
        return events;
    }

    private static List<Event> replaced(List<Event> events, int index, Event other) {
        events.set(index, other);
        return events;
    }
}
