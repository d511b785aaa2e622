package dev.muster.engine.runtime;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;

/** Makes the threads of the engine: named daemon platform threads, because a call into a store may block its thread. */
public final class EngineThreads {
    private EngineThreads() {}

    /** A thread that is not started yet. */
    public static Thread unstarted(String name, Runnable work) {
        return Thread.ofPlatform().daemon().name(name).unstarted(work);
    }

    /** A factory of threads with this name. */
    public static ThreadFactory named(String name) {
        return Thread.ofPlatform().daemon().name(name).factory();
    }

    /** A factory of threads with this name and a number from 0 on. */
    public static ThreadFactory numbered(String prefix) {
        return Thread.ofPlatform().daemon().name(prefix, 0).factory();
    }

    /** An unbounded pool, whose threads end when they are idle. */
    public static ExecutorService cached(String prefix) {
        return Executors.newCachedThreadPool(numbered(prefix));
    }
}
