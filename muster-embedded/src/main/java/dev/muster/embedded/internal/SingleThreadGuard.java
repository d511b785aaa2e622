package dev.muster.embedded.internal;

import dev.muster.store.StoreClosedException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Guards something that is for one thread at a time: tells misuse, and lets any thread close it. Whoever is inside may
 * enter again, from a listener it calls. What is guarded is released by whoever is inside at that moment, on his way
 * out, and never while someone uses it.
 */
final class SingleThreadGuard {
    private static final Duration CLOSE_WAIT_MAX = Duration.ofSeconds(5);

    private final String what;
    private final Runnable release;
    private final AtomicReference<Thread> inside = new AtomicReference<>();
    private final CountDownLatch released = new CountDownLatch(1);
    private volatile boolean closed;
    /** How often the one inside has entered; his alone. */
    private int depth;

    SingleThreadGuard(String what, Runnable release) {
        this.what = what;
        this.release = release;
    }

    void enter() {
        Thread self = Thread.currentThread();
        if (inside.get() == self) {
            depth++;
            return;
        }
        if (!inside.compareAndSet(null, self)) {
            Thread other = inside.get();
            throw new IllegalStateException(what + " is for one thread at a time: \"" + self.getName()
                    + "\" called it while \"" + (other == null ? "another thread" : other.getName()) + "\" was in it");
        }
        if (closed) {
            leave();
            throw new StoreClosedException(what);
        }
    }

    void leave() {
        if (depth > 0) {
            depth--;
            return;
        }
        inside.set(null);
        if (closed) {
            releaseIfNobodyIsInside();
        }
    }

    /** @param nudge makes the one who is inside leave soon */
    void close(Runnable nudge) {
        closed = true;
        nudge.run();
        if (releaseIfNobodyIsInside() || inside.get() == Thread.currentThread()) {
            return;
        }
        try {
            // Those who close next what this one reads from must not pull it from under him.
            var _ = released.await(CLOSE_WAIT_MAX.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Whether the one inside, who asks, was called from there: from a listener. */
    boolean isNested() {
        return depth > 0;
    }

    boolean isClosed() {
        return closed;
    }

    private boolean releaseIfNobodyIsInside() {
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
