package dev.muster.disk;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * Waits for the ends of other processes, each of which holds a bell ({@link Disk#bell}). A bell rings when its process
 * dies or closes it, and not when it is stopped. It is a messenger: whoever hears one must ask the lock of that process
 * for the truth. Watching costs nothing while nothing happens.
 */
public interface Bells extends AutoCloseable {
    /** For where the system offers none: nothing can be watched, and waiting is only waiting. */
    static Bells none() {
        return new NoBells();
    }

    /**
     * Watches a bell from now on. One whose process is dead already does not ring: look after this returned.
     *
     * @return false when there is no bell that could be watched
     */
    boolean watch(Path bell) throws IOException;

    /** Ends a watch; not an error when there is none. */
    void forget(Path bell);

    /**
     * Waits, on one (platform) thread, until bells ring, somebody calls {@link #wakeUp}, the time has passed, or by
     * chance.
     *
     * @return the bells that rang; they are not watched any more
     */
    List<Path> await(long timeoutNanos) throws IOException;

    /** Makes {@link #await} return, now or when it is called next. */
    void wakeUp();

    /** Lets go of all bells; who waits returns. */
    @Override
    void close();
}
