package dev.muster.embedded;

/** What a reader does if its position is below the start of the log, after retention or a trim, or beyond its end. */
public enum OnOutOfRange {
    /** {@code poll} throws {@link dev.muster.store.OffsetOutOfRangeException}; the position does not change. */
    THROW,
    /** Continues at the first record of the log. */
    EARLIEST,
    /** Continues at the end of the log. */
    LATEST
}
