package dev.muster.kafka.api;

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
public interface PendingResponse {
    /** To be sent nothing at all, which some requests ask for. */
    PendingResponse NOTHING = new Given(Response.NOTHING);

    /** The reply, when it can be had without waiting for anything. */
    Optional<Response> now();

    /**
     * The reply. May wait, and is interrupted when the client is gone.
     *
     * @throws MusterException when the store failed, and nothing else is to be said
     */
    Response await() throws InterruptedException;

    /** A reply that is there. */
    static PendingResponse of(ApiMessage message) {
        return new Given(new Response(message, () -> {}));
    }

    static PendingResponse of(Response reply) {
        return new Given(reply);
    }

    /** A reply that is held back for a while. */
    static PendingResponse after(Duration delay, ApiMessage message) {
        return new PendingResponse() {
            @Override
            public Optional<Response> now() {
                return Optional.empty();
            }

            @Override
            public Response await() throws InterruptedException {
                Thread.sleep(delay);
                return new Response(message, () -> {});
            }
        };
    }

    /** A reply that somebody else will give. */
    static PendingResponse when(CompletableFuture<? extends ApiMessage> message) {
        return new PendingResponse() {
            @Override
            public Optional<Response> now() {
                return message.state() == CompletableFuture.State.SUCCESS
                        ? Optional.of(new Response(message.resultNow(), () -> {}))
                        : Optional.empty();
            }

            @Override
            public Response await() throws InterruptedException {
                try {
                    return new Response(message.get(), () -> {});
                } catch (ExecutionException e) {
                    throw e.getCause() instanceof MusterException failure
                            ? failure
                            : new IllegalStateException(e.getCause());
                }
            }
        };
    }

    /** See {@link #of(ApiMessage)}. */
    record Given(Response reply) implements PendingResponse {
        @Override
        public Optional<Response> now() {
            return Optional.of(reply);
        }

        @Override
        public Response await() {
            return reply;
        }
    }
}
