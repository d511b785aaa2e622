package dev.muster.engine.group.replica;

import dev.muster.core.group.Group;
import dev.muster.core.group.command.Command;
import dev.muster.core.group.command.Reply;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * A command on its way into a journal, and its answer. Written by the thread that has the replica's lock; read by its
 * owner after it had that lock too.
 */
final class Proposal {
    /** Completed if the caller does not wait; null if it does. */
    final CompletableFuture<Reply> future;

    private final Function<Group, Command> question;
    private Reply reply;
    private Throwable failure;
    private boolean settled;
    /** The versions that have to be durable before the answer may be given; 0: none. */
    private long durableEnd;

    Proposal(Function<Group, Command> question, CompletableFuture<Reply> future) {
        this.question = question;
        this.future = future;
    }

    /** What to decide on this state; null when nothing is left to be asked. */
    Command ask(Group group) {
        return question.apply(group);
    }

    /** The answer, if the entry that it belongs to gets its place. */
    void answer(Reply answer) {
        reply = answer;
        failure = null;
    }

    /** Could not be decided; the others of the round go on. */
    void broken(RuntimeException reason) {
        reply = null;
        failure = reason;
    }

    void settle(long mustBeDurable) {
        durableEnd = mustBeDurable;
        settled = true;
    }

    void fail(Throwable reason) {
        reply = null;
        failure = reason;
        settled = true;
    }

    boolean settled() {
        return settled;
    }

    long durableEnd() {
        return durableEnd;
    }

    Reply reply() {
        return switch (failure) {
            case null -> reply;
            case RuntimeException reason -> throw reason;
            case Error reason -> throw reason;
            default -> throw new IllegalStateException(failure);
        };
    }
}
