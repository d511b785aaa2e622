package dev.muster.disk;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * Waits for the ends of other processes. Each of them holds a bell ({@link Disk#bell}), which rings when the process
 * dies or closes it. A stopped process rings no bell. A bell is only a hint: after it rang, the lock of that process
 * says whether the process is gone. A watch costs nothing until the bell rings.
 */
public interface Bells extends AutoCloseable {
    /** The bells of a system without bells: no bell can be watched, and {@link #await} only waits. */
    static Bells none() {
        return new NoBells();
    }

    /**
     * Watches a bell from now on. The bell of a process that is dead already does not ring. So the caller must check
     * the process after this returned.
     *
     * @return false if there is no such bell
     */
    boolean watch(Path bell) throws IOException;

    /** Ends a watch. It is not an error if the bell is not watched. */
    void forget(Path bell);

    /**
     * Waits until a bell rings, {@link #wakeUp} is called, or the time has passed; it may also return early without a
     * reason. Only one thread may wait, a platform thread.
     *
     * @return the bells that rang; they are not watched any more
     */
    List<Path> await(long timeoutNanos) throws IOException;

    /** Makes {@link #await} return, now or at its next call. */
    void wakeUp();

    /** Ends all watches. A waiting thread returns. */
    @Override
    void close();
}
