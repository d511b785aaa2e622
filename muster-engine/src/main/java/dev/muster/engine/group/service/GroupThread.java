package dev.muster.engine.group.service;

import dev.muster.engine.runtime.EngineThreads;
import dev.muster.engine.runtime.GroupRuntime;
import dev.muster.store.LogStore;
import dev.muster.store.StoreClosedException;
import java.lang.System.Logger.Level;
import java.util.concurrent.locks.LockSupport;

/** The thread that calls {@link GroupService#step} when it is due, or after a wake-up. A platform thread. */
public final class GroupThread implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(GroupThread.class.getName());

    /** A pause between steps: with thousands of commits per second, one step handles many of them. */
    private static final long NAP_NANOS = 500_000;

    private static final long VIEWS_NANOS_MAX = 1_000_000_000L;
    private static final long VIEWS_LOOK_NANOS = 100_000L;

    private static final long AFTER_FAILURE_NANOS = 100_000_000;
    private static final long JOIN_MILLIS = 2000;

    private final GroupRuntime runtime;
    private final GroupService service;
    private final Thread thread;
    private volatile boolean woken;
    private volatile boolean stopped;
    /** The failure that was logged last. For the thread only. */
    private String logged = "";

    public GroupThread(LogStore store, GroupRuntime runtime) {
        this.runtime = runtime;
        this.thread = EngineThreads.unstarted("muster-groups", this::run);
        this.service = new GroupService(store, runtime, this::wake);
        thread.start();
    }

    public GroupService service() {
        return service;
    }

    private void wake() {
        if (!woken) {
            woken = true;
            LockSupport.unpark(thread);
        }
    }

    private void run() {
        while (!stopped) {
            woken = false;
            long start = runtime.nanoTime();
            long next = step(start);
            for (long left = next - runtime.nanoTime();
                    left > 0 && !woken && !stopped;
                    left = next - runtime.nanoTime()) {
                LockSupport.parkNanos(this, left);
            }
            for (long rest = start + NAP_NANOS - runtime.nanoTime(); rest > 0 && !stopped; ) {
                LockSupport.parkNanos(this, rest);
                rest = start + NAP_NANOS - runtime.nanoTime();
            }
        }
    }

    private long step(long now) {
        try {
            long next = service.step(now);
            logged = "";
            return next;
        } catch (StoreClosedException e) {
            stopped = true;
            return now;
        } catch (RuntimeException | Error e) {
            // The step is repeated ten times a second, and the same failure is logged once.
            if (!stopped && !logged.equals(e.toString())) {
                logged = e.toString();
                LOG.log(Level.ERROR, "the background work of the groups failed", e);
            }
            return now + AFTER_FAILURE_NANOS;
        }
    }

    @Override
    public void close() {
        stopped = true;
        LockSupport.unpark(thread);
        try {
            thread.join(JOIN_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        service.close();
        // The views must show the last state. After the store is closed no view is written.
        long deadline = runtime.nanoTime() + VIEWS_NANOS_MAX;
        while (service.isPublishing() && runtime.nanoTime() - deadline < 0) {
            LockSupport.parkNanos(VIEWS_LOOK_NANOS);
        }
    }
}
