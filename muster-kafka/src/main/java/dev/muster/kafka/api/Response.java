package dev.muster.kafka.api;

import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.protocol.ApiMessage;

/**
 * The body of a response, without its header.
 *
 * @param sent called once the message was sent, or was dropped; it frees the memory and files of the records
 */
public record Response(ApiMessage message, Runnable sent) {
    /** No response is sent. */
    static final Response NOTHING = new Response(new ApiVersionsResponseData(), () -> {});

    public boolean isNothing() {
        return this == NOTHING;
    }
}
