package dev.muster.testkit.disk;

import dev.muster.store.file.disk.Machine;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A machine on which the housekeeping of a store comes when a test wants it and at no other time: {@link #awaitRest}
 * after the store was opened, {@link #keepHouse} for another round. For the store that is opened first; everything else
 * takes its usual course.
 */
public final class PacedMachine implements Machine {
    private static final String HOUSEKEEPER = "muster-upkeep";
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);

    private volatile Thread housekeeper;
    private boolean resting;
    private boolean due;
    private volatile long aheadNanos;

    /** Returns when the round that is under way, if one is, is done. Before it is called there may be one. */
    public synchronized void awaitRest() {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (!resting) {
            long leftMs = (deadline - System.nanoTime()) / 1_000_000;
            if (leftMs <= 0) {
                throw new IllegalStateException("the housekeeper does not come to rest");
            }
            try {
                wait(leftMs);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted", e);
            }
        }
    }

    /** One round of housekeeping, from its beginning to its end. */
    public synchronized void keepHouse() {
        awaitRest();
        resting = false;
        due = true;
        LockSupport.unpark(housekeeper);
        awaitRest();
    }

    /** Only the housekeeper is told of times that did not pass: they are over as soon as a round is wanted. */
    @Override
    public void pause(long nanos) {
        if (Thread.currentThread() != housekeeper) {
            THIS.pause(nanos);
            return;
        }
        synchronized (this) {
            if (due) {
                due = false;
                aheadNanos += nanos;
                return;
            }
            resting = true;
            notifyAll();
        }
        // Whoever wants a round wakes it, and so does a store that is closed.
        LockSupport.park(this);
    }

    @Override
    public long nanoTime() {
        return THIS.nanoTime() + aheadNanos;
    }

    @Override
    public Thread thread(String name, Runnable work) {
        Thread thread = THIS.thread(name, work);
        if (housekeeper == null && name.equals(HOUSEKEEPER)) {
            housekeeper = thread;
        }
        return thread;
    }

    @Override
    public UUID newId() {
        return THIS.newId();
    }
}
