package dev.muster.engine.group.replica;

import dev.muster.core.group.Group;
import dev.muster.core.group.command.Command;
import java.util.function.Function;

/**
 * Something to be proposed at a time, unless it is no longer wanted by then. Proposed again after a while as long as it
 * is wanted: the first attempt may have failed.
 */
public final class ScheduledProposal {
    public final Function<Group, Command> question;
    /** To be done when the question was answered, on whatever thread that was. */
    public final Runnable done;

    public long deadline;

    public ScheduledProposal(long deadline, Function<Group, Command> question) {
        this(deadline, question, () -> {});
    }

    public ScheduledProposal(long deadline, Function<Group, Command> question, Runnable done) {
        this.deadline = deadline;
        this.question = question;
        this.done = done;
    }
}
