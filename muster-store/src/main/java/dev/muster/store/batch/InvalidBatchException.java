package dev.muster.store.batch;

import dev.muster.core.MusterException;

/**
 * Bytes that should be a record batch are none: lengths that do not fit, a wrong count, a compressed body that cannot
 * be unpacked. Where the checksum held, whoever wrote the batch wrote it so.
 */
public final class InvalidBatchException extends MusterException {
    private final long baseOffset;

    public InvalidBatchException(long baseOffset, String problem) {
        this(baseOffset, problem, null);
    }

    public InvalidBatchException(long baseOffset, String problem, Throwable cause) {
        super(
                "invalid record batch at offset " + baseOffset + ": " + problem,
                "its producer is at fault: find it, and read on behind the batch",
                cause);
        this.baseOffset = baseOffset;
    }

    /** The base offset that stands in the batch; as little to be trusted as the rest of it. */
    public long baseOffset() {
        return baseOffset;
    }
}
