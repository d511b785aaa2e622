package dev.muster.store;

import dev.muster.core.MusterException;

/** A record, or a batch, is larger than its topic allows. It was not buffered and not written. */
public final class RecordTooLargeException extends MusterException {
    public RecordTooLargeException(String topic, long bytes, long bytesMax) {
        super(
                "a record of " + bytes + " bytes is larger than topic \"" + topic + "\" allows (max.message.bytes is "
                        + bytesMax + ")",
                "send it in parts, or raise max.message.bytes");
    }
}
