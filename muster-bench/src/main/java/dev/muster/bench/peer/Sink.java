package dev.muster.bench.peer;

import java.io.Closeable;
import java.io.IOException;

/** Where one process appends. Closing it writes what {@link Mode#STREAM} has collected, or fails. */
public interface Sink extends Closeable {
    /** Appends one record and returns when the mode says so. The array may be used again afterwards. */
    void append(byte[] record) throws IOException;

    /**
     * The longest time between two acknowledgements, in nanoseconds, where they come later than appends return: a full
     * pause of the queue would otherwise hide behind what the sink has collected. Ask when it is closed.
     */
    default long longestGapNanos() {
        return 0;
    }
}
