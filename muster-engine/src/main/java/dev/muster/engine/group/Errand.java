package dev.muster.engine.group;

import dev.muster.core.group.Group;
import dev.muster.core.group.command.Command;
import java.util.function.Function;

/**
 * Something to be proposed at a time, unless it is no longer wanted by then. Proposed again after a while as long as it
 * is wanted: the first attempt may have failed.
 */
final class Errand {
    final Function<Group, Command> question;
    /** To be done when the question was answered, on whatever thread that was. */
    final Runnable done;

    long deadline;

    Errand(long deadline, Function<Group, Command> question) {
        this(deadline, question, () -> {});
    }

    Errand(long deadline, Function<Group, Command> question, Runnable done) {
        this.deadline = deadline;
        this.question = question;
        this.done = done;
    }
}
