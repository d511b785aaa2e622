package dev.muster.core.group;

import dev.muster.core.Counts;
import dev.muster.core.Durations;
import dev.muster.core.group.command.Command;
import dev.muster.core.group.command.Event;
import dev.muster.core.group.command.Reply;
import dev.muster.core.group.model.Expectation;
import dev.muster.core.group.model.Forming;
import java.util.Optional;

/**
 * Decides when a group that waits for its first members has waited long enough. An instance belongs to one
 * {@link Decider} and decides one command.
 */
final class FormingDecider {
    private final GroupBuilder builder;
    private final Decider decider;

    FormingDecider(GroupBuilder builder, Decider decider) {
        this.builder = builder;
        this.decider = decider;
    }

    /**
     * A member joined.
     *
     * @param first True if the group had no members before
     * @param said number of members that the joining member asks the group to wait for
     */
    void joined(boolean first, Optional<Expectation> said) {
        Optional<Expectation> wanted =
                builder.expectation.or(() -> said).filter(it -> !it.isMetBy(builder.members.size()));
        if (first && wanted.isPresent()) {
            decider.happens(new Event.FormingBegan(wanted.get()));
            // No member gets a partition, but a remote member must be sent a generation with its answer.
            decider.happens(Rebalance.formingGeneration(builder, wanted.get()));
        } else {
            formedIfAllAreThere();
        }
    }

    void formedIfAllAreThere() {
        builder.forming
                .map(Forming::expectation)
                .filter(it -> it.isMetBy(builder.members.size()))
                .ifPresent(it -> formed("has all " + Counts.of(it.members(), "member")));
    }

    private void formed(String what) {
        decider.happens(new Event.Formed(what));
        // If this process lacks the assignor, the change stays pending, and a process that has the assignor makes the
        // generation.
        decider.rebalance();
    }

    Reply expect(Command.Expect expect) {
        if (builder.classic.inUse()) {
            return new Reply.ClassicMembers(
                    "the group has members that live by Kafka's classic protocol (" + Conversion.names(builder.classic)
                            + "), which form the group by themselves; stop them first, or use group.protocol=consumer");
        }
        if (!builder.expectation.equals(expect.expectation())) {
            decider.happens(new Event.MembersExpected(expect.expectation()));
        }
        if (builder.forming.isPresent() && expect.expectation().isEmpty()) {
            formed("need not wait any more, with " + builder.forming.get().count(builder.members.size()));
        } else {
            formedIfAllAreThere();
        }
        return Decider.DONE;
    }

    Reply complete(String by) {
        if (builder.forming.isEmpty()) {
            return new Reply.NotForming(
                    builder.members.isEmpty()
                            ? "the group has no members, so there is nothing to complete; start one first"
                            : "the group does not wait for members; its state is shown by group describe");
        }
        formed("was completed by " + by + " with " + builder.forming.get().count(builder.members.size()));
        return Decider.DONE;
    }

    Reply over(long token) {
        builder.forming
                .filter(it -> it.token() == token)
                .ifPresent(it -> formed("waited "
                        + Durations.text(it.expectation().within()) + " and has " + it.count(builder.members.size())));
        return Decider.DONE;
    }
}
