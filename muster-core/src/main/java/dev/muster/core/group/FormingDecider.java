package dev.muster.core.group;

import dev.muster.core.Counts;
import java.util.Optional;

/**
 * Decides when a group that waits for its first members has waited enough. Used once, by the {@link Decider} that it is
 * a part of.
 */
final class FormingDecider {
    private final Draft draft;
    private final Decider decider;

    FormingDecider(Draft draft, Decider decider) {
        this.draft = draft;
        this.decider = decider;
    }

    /**
     * A member came.
     *
     * @param first whether nobody was there before it
     * @param said how many it waits for
     */
    void joined(boolean first, Optional<Expectation> said) {
        Optional<Expectation> wanted = draft.expectation.or(() -> said).filter(it -> !it.isMetBy(draft.members.size()));
        if (first && wanted.isPresent()) {
            decider.happens(new Event.FormingBegan(wanted.get()));
            // Nobody gets anything, but remote members can be told of no generation before the first.
            decider.happens(Rebalance.nothingYet(draft, wanted.get()));
        } else {
            formedIfAllAreThere();
        }
    }

    void formedIfAllAreThere() {
        draft.forming
                .map(Forming::expectation)
                .filter(it -> it.isMetBy(draft.members.size()))
                .ifPresent(it -> formed("has all " + Counts.of(it.members(), "member")));
    }

    private void formed(String what) {
        decider.happens(new Event.Formed(what));
        // Where this process lacks the assignor the change stays pending, and one that has it makes the generation.
        decider.rebalance();
    }

    Reply expect(Command.Expect expect) {
        if (draft.classic.inUse()) {
            return new Reply.ClassicMembers(
                    "the group has members that live by Kafka's classic protocol (" + Conversion.names(draft.classic)
                            + "), who form it by themselves; stop them first, or use group.protocol=consumer");
        }
        if (!draft.expectation.equals(expect.expectation())) {
            decider.happens(new Event.MembersExpected(expect.expectation()));
        }
        if (draft.forming.isPresent() && expect.expectation().isEmpty()) {
            formed("need not wait any more, with " + draft.forming.get().count(draft.members.size()));
        } else {
            formedIfAllAreThere();
        }
        return Decider.DONE;
    }

    Reply complete(String by) {
        if (draft.forming.isEmpty()) {
            return new Reply.NotForming(
                    draft.members.isEmpty()
                            ? "the group has no members, so there is nothing to complete; start one first"
                            : "the group does not wait for members; see what it is about with describe");
        }
        formed("was completed by " + by + " with " + draft.forming.get().count(draft.members.size()));
        return Decider.DONE;
    }

    Reply over(long token) {
        draft.forming
                .filter(it -> it.token() == token)
                .ifPresent(it ->
                        formed("waited " + Explanation.seconds(it.expectation().within()) + " and has "
                                + it.count(draft.members.size())));
        return Decider.DONE;
    }
}
