package dev.muster.core;

import java.time.Duration;

/** The producer's buffer was full for too long: the store is slower than the senders. The record was not sent. */
public final class BufferFullException extends MusterException {
    public BufferFullException(String topic, long bufferBytes, Duration waited) {
        super(
                "the buffer of the producer for \"" + topic + "\" (" + bufferBytes + " bytes) is full"
                        + (waited.isZero() ? "" : " since " + waited.toMillis() + " ms"),
                "send more slowly, wait for sent records, or raise bufferBytes");
    }
}
