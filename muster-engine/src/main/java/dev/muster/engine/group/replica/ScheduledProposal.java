package dev.muster.engine.group.replica;

import dev.muster.core.group.Group;
import dev.muster.core.group.command.Command;
import java.util.function.Function;

/** A proposal with a deadline. {@link ScheduledProposals} submits it then, and again until it is removed. */
public final class ScheduledProposal {
    private final Function<Group, Command> question;
    private final Runnable done;
    private long deadline;

    /** @param question the command for the newest state; null if the proposal is not needed any more */
    public ScheduledProposal(long deadline, Function<Group, Command> question) {
        this(deadline, question, () -> {});
    }

    /** @param done action after the question was answered, on any thread */
    public ScheduledProposal(long deadline, Function<Group, Command> question, Runnable done) {
        this.deadline = deadline;
        this.question = question;
        this.done = done;
    }

    public long deadline() {
        return deadline;
    }

    public void moveTo(long newDeadline) {
        deadline = newDeadline;
    }

    Function<Group, Command> question() {
        return question;
    }

    void done() {
        done.run();
    }
}
