package dev.muster.kafka.api;

import org.apache.kafka.common.protocol.ApiMessage;

/**
 * A decoded request.
 *
 * @param body may point into the memory of its frame, which is used again once the request is begun
 */
public record Request<T extends ApiMessage>(RequestHead head, T body, Client client) {
    public short version() {
        return head.version();
    }
}
