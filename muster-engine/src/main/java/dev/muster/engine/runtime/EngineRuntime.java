package dev.muster.engine.runtime;

import java.util.function.Supplier;

/**
 * The clock, names, chance and background work of the engine. Readers, senders, partition writers and groups take all
 * of it from here, so that they also run in simulated time. For all threads.
 */
public interface EngineRuntime {
    /** The runtime of this process: the system's clocks and platform threads. */
    static EngineRuntime system() {
        return SystemGroupRuntime.INSTANCE;
    }

    /** A clock of this process that only goes forward. */
    long nanoTime();

    /** Milliseconds since 1970. Group rules never decide by it. */
    long wallMillis();

    /** A short name that was never used before. */
    String freshName();

    /** A random number from 0 to below the bound; by default derived from a fresh name. */
    default int random(int bound) {
        return Math.floorMod(freshName().hashCode(), bound);
    }

    /** Does work that may block, soon, on another thread. The work handles its own failures. */
    void inBackground(Runnable work);

    /**
     * Makes a call that may hold its thread in a system call, and returns its result. A virtual thread waits for
     * another thread that makes the call.
     */
    <T> T blocking(Supplier<T> call);

    /**
     * Holds the calling thread for about so long.
     *
     * @return false if the runtime cannot do that, because everything runs on one thread
     */
    default boolean pause(long nanos) {
        return false;
    }
}
