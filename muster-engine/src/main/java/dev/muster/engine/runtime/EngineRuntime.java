package dev.muster.engine.runtime;

import java.util.function.Supplier;

/**
 * The clock, fresh names, randomness and background threads of the engine. Readers, senders, partition writers and
 * groups use only these, so that they also run in simulated time. Safe for many threads.
 */
public interface EngineRuntime {
    /** The runtime of this process: the system's clocks and platform threads. */
    static EngineRuntime system() {
        return SystemGroupRuntime.INSTANCE;
    }

    /** The monotonic clock of this process, in nanoseconds. */
    long nanoTime();

    /** The wall clock, in milliseconds since 1970. No group rule depends on it. */
    long wallMillis();

    /** A short name that was never used before. */
    String freshName();

    /** A random number from 0 to below the bound; by default derived from a fresh name. */
    default int random(int bound) {
        return Math.floorMod(freshName().hashCode(), bound);
    }

    /** Runs work that may block, soon, on another thread. The work handles its own failures. */
    void inBackground(Runnable work);

    /**
     * Makes a call that may block in the kernel, and returns its result. For a virtual thread another thread makes the
     * call.
     */
    <T> T blocking(Supplier<T> call);

    /**
     * Pauses the calling thread for about this time.
     *
     * @return False if the runtime cannot pause a thread, because all work runs on one thread
     */
    default boolean pause(long nanos) {
        return false;
    }
}
