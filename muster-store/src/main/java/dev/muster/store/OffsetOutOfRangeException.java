package dev.muster.store;

import dev.muster.core.MusterException;

/**
 * An offset is below the start of the log, because retention or a trim removed its record, or above the end of the log.
 */
public final class OffsetOutOfRangeException extends MusterException {
    private final long offset;
    private final long startOffset;
    private final long endOffset;

    public OffsetOutOfRangeException(String partition, long offset, long startOffset, long endOffset) {
        super(
                "offset " + offset + " of " + partition + " is out of range: the log holds " + startOffset + " to "
                        + endOffset + " (exclusive)",
                "start at the beginning or at the end of the log");
        this.offset = offset;
        this.startOffset = startOffset;
        this.endOffset = endOffset;
    }

    /** The requested offset. */
    public long offset() {
        return offset;
    }

    public long startOffset() {
        return startOffset;
    }

    public long endOffset() {
        return endOffset;
    }
}
