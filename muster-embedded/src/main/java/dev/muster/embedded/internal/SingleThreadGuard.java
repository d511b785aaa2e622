package dev.muster.embedded.internal;

import dev.muster.store.StoreClosedException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/**
 * Guards an object that only one thread at a time may use: reports misuse, and lets any thread close the object. The
 * thread inside may enter again, from a listener that it calls. If a thread is inside at close, that thread releases
 * the object when it leaves, so the object is never released while it is in use.
 */
final class SingleThreadGuard {
    private static final Duration CLOSE_WAIT_MAX = Duration.ofSeconds(5);

    private final String what;
    private final Runnable release;
    private final AtomicReference<Thread> inside = new AtomicReference<>();
    private final CountDownLatch released = new CountDownLatch(1);
    private volatile boolean closed;
    /** The number of nested entries of the thread inside. Only that thread uses it. */
    private int depth;

    SingleThreadGuard(String what, Runnable release) {
        this.what = what;
        this.release = release;
    }

    private void enter() {
        Thread self = Thread.currentThread();
        if (inside.get() == self) {
            depth++;
            return;
        }
        if (!inside.compareAndSet(null, self)) {
            Thread other = inside.get();
            throw new IllegalStateException(what + " is for one thread at a time: \"" + self.getName()
                    + "\" called it while \"" + (other == null ? "another thread" : other.getName()) + "\" used it");
        }
        if (closed) {
            leave();
            throw new StoreClosedException(what);
        }
    }

    private void leave() {
        if (depth > 0) {
            depth--;
            return;
        }
        inside.set(null);
        if (closed) {
            releaseIfUnused();
        }
    }

    /** Runs an action inside. */
    void run(Runnable action) {
        enter();
        try {
            action.run();
        } finally {
            leave();
        }
    }

    /** Runs an action inside and returns its result. */
    <T> T call(Supplier<T> action) {
        enter();
        try {
            return action.get();
        } finally {
            leave();
        }
    }

    /**
     * Closes the object. If another thread is inside, waits a few seconds until that thread has released it.
     *
     * @param nudge code that makes the thread inside leave soon
     */
    void close(Runnable nudge) {
        closed = true;
        nudge.run();
        if (releaseIfUnused() || inside.get() == Thread.currentThread()) {
            return;
        }
        try {
            // The caller may close the store next, and the thread inside must not use a closed store.
            var _ = released.await(CLOSE_WAIT_MAX.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** True if the calling thread, which is inside, has entered again from a listener. */
    boolean isNested() {
        return depth > 0;
    }

    boolean isClosed() {
        return closed;
    }

    private boolean releaseIfUnused() {
        if (released.getCount() == 0) {
            return true;
        }
        if (!inside.compareAndSet(null, Thread.currentThread())) {
            return false;
        }
        try {
            if (released.getCount() > 0) {
                release.run();
                released.countDown();
            }
            return true;
        } finally {
            inside.set(null);
        }
    }
}
