package dev.muster.engine.runtime;

import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;

/** Makes the threads of the engine: named daemon platform threads, because a call into a store may block its thread. */
public final class EngineThreads {
    /**
     * The pool for blocking calls. It has no limit, so a task may wait for another task. Its threads end after a minute
     * without work.
     */
    private static final ExecutorService BLOCKING = Executors.newCachedThreadPool(named("muster-idle"));

    private EngineThreads() {}

    /** A thread that is not started yet. */
    public static Thread unstarted(String name, Runnable work) {
        return Thread.ofPlatform().daemon().name(name).unstarted(work);
    }

    /** A factory of threads with this name. */
    public static ThreadFactory named(String name) {
        return Thread.ofPlatform().daemon().name(name).factory();
    }

    /**
     * An executor for calls that may block. All of them share one pool without a limit.
     *
     * @param name the name of a thread while it works for this executor, and until it works for another one
     */
    public static Executor blocking(String name) {
        return work -> BLOCKING.execute(() -> {
            Thread self = Thread.currentThread();
            // Setting a name is a system call.
            if (!self.getName().equals(name)) {
                self.setName(name);
            }
            work.run();
        });
    }
}
