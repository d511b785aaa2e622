package dev.muster.store;

import dev.muster.core.MusterException;

/** An offset below the start of the log (retention or a trim took it), or above its end. */
public final class OffsetOutOfRangeException extends MusterException {
    private final long offset;
    private final long startOffset;
    private final long endOffset;

    public OffsetOutOfRangeException(String partition, long offset, long startOffset, long endOffset) {
        super(
                "offset " + offset + " of " + partition + " is out of range: the log holds " + startOffset + " to "
                        + endOffset + " (exclusive)",
                "start at the beginning or at the end of what is there");
        this.offset = offset;
        this.startOffset = startOffset;
        this.endOffset = endOffset;
    }

    /** The offset that was asked for. */
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
