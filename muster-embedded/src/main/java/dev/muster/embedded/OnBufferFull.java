package dev.muster.embedded;

/** What {@code send} does while the producer's buffer is full. */
public enum OnBufferFull {
    /** Waits until there is room in the buffer, at most {@code maxBlock}. */
    BLOCK,
    /** Throws {@link dev.muster.core.BufferFullException} at once. The record is not buffered. */
    FAIL
}
