package dev.muster.kafka.api;

import dev.muster.core.MusterException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.common.protocol.ApiMessage;

/**
 * The response to a request that was begun. If no other response is in line, a connection asks {@link #now} first, on
 * the thread that reads requests. Otherwise it calls {@link #await} on the thread that sends, once the response is the
 * next to be sent.
 */
public interface PendingResponse {
    /** For requests that have no response. */
    PendingResponse NOTHING = new Given(Response.NOTHING);

    /** The response, if it is there without waiting. */
    Optional<Response> now();

    /**
     * The response. May wait, and is interrupted when the client is gone.
     *
     * @throws MusterException if the store failed and the API has no error of its own for it
     */
    Response await() throws InterruptedException;

    /** A response that is there. */
    static PendingResponse of(ApiMessage message) {
        return new Given(new Response(message, () -> {}));
    }

    static PendingResponse of(Response response) {
        return new Given(response);
    }

    /** A response that is held back for a while. */
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

    /** A response that another thread completes. */
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
    record Given(Response response) implements PendingResponse {
        @Override
        public Optional<Response> now() {
            return Optional.of(response);
        }

        @Override
        public Response await() {
            return response;
        }
    }
}
