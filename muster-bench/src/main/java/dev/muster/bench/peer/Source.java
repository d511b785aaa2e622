package dev.muster.bench.peer;

import java.io.Closeable;
import java.io.IOException;

/** Reads from the first record on. For one thread. */
public interface Source extends Closeable {
    /** The next record, in an array of its own; null if there is none at the moment. */
    byte[] next() throws IOException;
}
