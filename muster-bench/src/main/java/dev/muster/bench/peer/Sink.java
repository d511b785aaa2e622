package dev.muster.bench.peer;

import java.io.Closeable;
import java.io.IOException;

/** Appends records of one process. Closing it writes the records that {@link Mode#STREAM} has collected, or fails. */
public interface Sink extends Closeable {
    /** Appends one record and returns as the mode says. The array may be used again afterwards. */
    void append(byte[] record) throws IOException;

    /**
     * The longest time between two acknowledgements, in nanoseconds, if they come after their append has returned.
     * Otherwise the sink's buffer would hide a pause of the queue. Valid after close.
     */
    default long longestGapNanos() {
        return 0;
    }
}
