package dev.muster.embedded;

/** What {@code send} does while the producer's buffer is full. */
public enum OnBufferFull {
    /** Waits for room, at most {@code maxBlock}. */
    BLOCK,
    /** Throws {@link dev.muster.core.BufferFullException} at once; nothing was buffered. */
    FAIL
}
