package dev.muster.kafka;

import dev.muster.core.MusterException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.common.protocol.ApiMessage;

/**
 * What will be said to a request that was begun. A connection asks {@link #now} first, on the thread that reads
 * requests, if nobody stands in line before; otherwise {@link #await}, on the thread that sends answers, once the
 * answer is the next to be sent.
 */
public interface Answer {
    /** To be sent nothing at all, which some requests ask for. */
    Answer NOTHING = new Given(Reply.NOTHING);

    /** The reply, when it can be had without waiting for anything. */
    Optional<Reply> now();

    /**
     * The reply. May wait, and is interrupted when the client is gone.
     *
     * @throws MusterException when the store failed, and nothing else is to be said
     */
    Reply await() throws InterruptedException;

    /** A reply that is there. */
    static Answer of(ApiMessage message) {
        return new Given(new Reply(message, () -> {}));
    }

    static Answer of(Reply reply) {
        return new Given(reply);
    }

    /** A reply that is held back for a while. */
    static Answer after(Duration delay, ApiMessage message) {
        return new Answer() {
            @Override
            public Optional<Reply> now() {
                return Optional.empty();
            }

            @Override
            public Reply await() throws InterruptedException {
                Thread.sleep(delay);
                return new Reply(message, () -> {});
            }
        };
    }

    /** A reply that somebody else will give. */
    static Answer when(CompletableFuture<? extends ApiMessage> message) {
        return new Answer() {
            @Override
            public Optional<Reply> now() {
                return message.state() == CompletableFuture.State.SUCCESS
                        ? Optional.of(new Reply(message.resultNow(), () -> {}))
                        : Optional.empty();
            }

            @Override
            public Reply await() throws InterruptedException {
                try {
                    return new Reply(message.get(), () -> {});
                } catch (ExecutionException e) {
                    throw e.getCause() instanceof MusterException failure
                            ? failure
                            : new IllegalStateException(e.getCause());
                }
            }
        };
    }

    /** See {@link #of(ApiMessage)}. */
    record Given(Reply reply) implements Answer {
        @Override
        public Optional<Reply> now() {
            return Optional.of(reply);
        }

        @Override
        public Reply await() {
            return reply;
        }
    }
}
