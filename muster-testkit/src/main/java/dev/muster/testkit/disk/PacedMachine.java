package dev.muster.testkit.disk;

import dev.muster.disk.Machine;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A machine on which a store does its housekeeping when a test wants it, and at no other time. Call {@link #awaitRest}
 * after opening the store, and {@link #keepHouse} for each further round. It controls the store that is opened first;
 * all other threads run as usual.
 *
 * <p>Only the housekeeping thread has a clock of its own. That clock stands still while the thread rests. So no round
 * becomes due by itself, however long the rest is and whatever wakes the thread. A round that the test wants puts the
 * clock forward.
 */
public final class PacedMachine implements Machine {
    private static final String HOUSEKEEPER = "muster-upkeep";
    private static final long REST_NANOS_MAX = TimeUnit.SECONDS.toNanos(30);

    private volatile Thread housekeeper;
    private boolean resting;
    private boolean due;

    // The clock of the housekeeping thread. Only that thread uses these fields.
    private boolean standing;
    private long shownNanos;
    private long aheadNanos;

    /** Waits until a round in progress has ended. Rounds may run before the first call of this method. */
    public synchronized void awaitRest() {
        long deadline = System.nanoTime() + REST_NANOS_MAX;
        while (!resting) {
            long leftMs = (deadline - System.nanoTime()) / 1_000_000;
            if (leftMs <= 0) {
                throw new IllegalStateException("the housekeeping thread has not ended its round");
            }
            try {
                wait(leftMs);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted", e);
            }
        }
    }

    /** Runs one round of housekeeping; returns at its end. */
    public synchronized void keepHouse() {
        awaitRest();
        resting = false;
        due = true;
        LockSupport.unpark(housekeeper);
        awaitRest();
    }

    /** For the housekeeping thread, the pause ends when the test wants a round, and not before. */
    @Override
    public void pause(long nanos) {
        if (Thread.currentThread() != housekeeper) {
            THIS.pause(nanos);
            return;
        }
        standing = true;
        if (restsUntilDue()) {
            // keepHouse wakes this thread, and so does closing the store.
            LockSupport.park(this);
        }
        if (takeDue()) {
            standing = false;
            aheadNanos += nanos;
        }
    }

    private synchronized boolean restsUntilDue() {
        if (!due) {
            resting = true;
            notifyAll();
        }
        return !due;
    }

    private synchronized boolean takeDue() {
        boolean taken = due;
        due = false;
        return taken;
    }

    @Override
    public long nanoTime() {
        if (Thread.currentThread() != housekeeper) {
            return THIS.nanoTime();
        }
        if (!standing) {
            shownNanos = THIS.nanoTime() + aheadNanos;
        }
        // A standing clock returns its last time, so a pause computed from that time never ends by itself.
        return shownNanos;
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
