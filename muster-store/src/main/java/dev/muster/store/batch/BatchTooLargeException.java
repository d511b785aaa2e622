package dev.muster.store.batch;

import dev.muster.core.MusterException;

/**
 * A compressed batch unpacks to more bytes than its reader or the server allows. Nothing is wrong with its bytes: a
 * reader with more memory can have its records, so no reader passes over it in silence.
 */
public final class BatchTooLargeException extends MusterException {
    private final long baseOffset;

    public BatchTooLargeException(long baseOffset, long unpackedBytesMax, String hint, Throwable cause) {
        super(
                "record batch at offset " + baseOffset + " unpacks to more than " + unpackedBytesMax + " bytes",
                hint,
                cause);
        this.baseOffset = baseOffset;
    }

    /** The base offset that stands in the batch. */
    public long baseOffset() {
        return baseOffset;
    }
}
