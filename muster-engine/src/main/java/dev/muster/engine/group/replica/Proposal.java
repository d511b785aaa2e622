package dev.muster.engine.group.replica;

import dev.muster.core.group.Group;
import dev.muster.core.group.command.Command;
import dev.muster.core.group.command.Reply;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * A proposed command and its answer. The thread with the replica's lock writes it. The proposing thread reads it after
 * it held that lock too.
 */
final class Proposal {
    /** The future of a caller that does not wait; null if the caller waits. */
    final CompletableFuture<Reply> future;

    private final Function<Group, Command> question;
    private Reply reply;
    private Throwable failure;
    private boolean settled;
    /** The version up to which the journal must be durable before the answer is given; 0 for none. */
    private long durableEnd;

    Proposal(Function<Group, Command> question, CompletableFuture<Reply> future) {
        this.question = question;
        this.future = future;
    }

    /** The command for this state; null if there is none any more. */
    Command ask(Group group) {
        return question.apply(group);
    }

    /** Sets the answer, which counts if the entry is appended. */
    void answer(Reply answer) {
        reply = answer;
        failure = null;
    }

    /** Notes that deciding the command failed. The other proposals of the round continue. */
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
