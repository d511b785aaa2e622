package dev.muster.embedded;

/** What a reader does when there is nothing at its position: retention or a trim took it, or it is beyond the end. */
public enum OnOutOfRange {
    /** {@code poll} throws {@link dev.muster.store.OffsetOutOfRangeException}; the position stays. */
    THROW,
    /** Goes on at the first record that is there. */
    EARLIEST,
    /** Goes on at the end. */
    LATEST
}
