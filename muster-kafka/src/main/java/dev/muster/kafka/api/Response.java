package dev.muster.kafka.api;

import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.protocol.ApiMessage;

/**
 * The body of a response, without its header.
 *
 * @param sent called when the message was sent, or will never be: what its records stand in can be used again
 */
public record Response(ApiMessage message, Runnable sent) {
    /** Nothing is sent. */
    static final Response NOTHING = new Response(new ApiVersionsResponseData(), () -> {});

    public boolean isNothing() {
        return this == NOTHING;
    }
}
