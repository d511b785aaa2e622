package dev.muster.store.batch;

import dev.muster.core.MusterException;

/**
 * A compressed batch unpacks to more bytes than its reader or the server allows. Its bytes are not damaged: a reader
 * with more memory can decode the records. So a reader must report the batch and not skip it.
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
