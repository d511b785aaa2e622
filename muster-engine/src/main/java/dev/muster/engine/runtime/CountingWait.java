package dev.muster.engine.runtime;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Waits for signals. A signal after the given count was taken is not missed. Safe for many threads. */
public final class CountingWait {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private long count;

    public long count() {
        lock.lock();
        try {
            return count;
        } finally {
            lock.unlock();
        }
    }

    public void signal() {
        lock.lock();
        try {
            count++;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Returns after a signal since this count, after the timeout, or at an interrupt, which stays set. */
    public void await(long since, long nanos) {
        lock.lock();
        try {
            long left = nanos;
            while (count == since && left > 0) {
                left = changed.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }
}
