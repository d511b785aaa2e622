package dev.muster.core;

import java.time.Duration;

/** There was no memory for another record in time: the store is slower than those who send. Nothing was sent. */
public final class BufferFullException extends MusterException {
    public BufferFullException(String topic, long bufferBytes, Duration waited) {
        super(
                "the buffer of the producer for \"" + topic + "\" (" + bufferBytes + " bytes) is full"
                        + (waited.isZero() ? "" : " since " + waited.toMillis() + " ms"),
                "send more slowly, wait for what was sent, or give it more (bufferBytes)");
    }
}
