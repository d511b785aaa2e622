package dev.muster.store.batch;

import dev.muster.core.MusterException;

/**
 * Bytes are not a valid record batch: a length is wrong, the count of records is wrong, or the compressed body cannot
 * be unpacked. If the checksum is right, the producer wrote the batch so.
 */
public final class InvalidBatchException extends MusterException {
    private final long baseOffset;

    public InvalidBatchException(long baseOffset, String problem) {
        this(baseOffset, problem, null);
    }

    public InvalidBatchException(long baseOffset, String problem, Throwable cause) {
        super(
                "invalid record batch at offset " + baseOffset + ": " + problem,
                "its producer wrote it wrongly: correct the producer, and read on behind the batch",
                cause);
        this.baseOffset = baseOffset;
    }

    /** The base offset in the batch's header, which may be as wrong as the rest. */
    public long baseOffset() {
        return baseOffset;
    }
}
