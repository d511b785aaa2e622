package dev.muster.embedded;

/** What {@code send} does while the producer's buffer is full. */
public enum WhenFull {
    /** Waits for room, at most {@code maxBlock}. */
    BLOCK,
    /** Throws {@link dev.muster.engine.produce.BufferFullException} at once; nothing was buffered. */
    FAIL
}
