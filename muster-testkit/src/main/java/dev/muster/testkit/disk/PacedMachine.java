package dev.muster.testkit.disk;

import dev.muster.disk.Machine;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A machine on which the housekeeping of a store comes when a test wants it and at no other time: {@link #awaitRest}
 * after the store was opened, {@link #keepHouse} for another round. For the store that is opened first; everything else
 * takes its usual course.
 *
 * <p>The housekeeper, and nobody else, has a clock of its own. It stands still while the housekeeper rests, so that
 * however long that is and whatever wakes it no round is due by itself; a round that is wanted puts it forward.
 */
public final class PacedMachine implements Machine {
    private static final String HOUSEKEEPER = "muster-upkeep";
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);

    private volatile Thread housekeeper;
    private boolean resting;
    private boolean due;

    // The housekeeper's clock, which only the housekeeper touches.
    private boolean standing;
    private long toldNanos;
    private long aheadNanos;

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

    /** For the housekeeper the time is over as soon as a round is wanted, and not before. */
    @Override
    public void pause(long nanos) {
        if (Thread.currentThread() != housekeeper) {
            THIS.pause(nanos);
            return;
        }
        standing = true;
        if (restsUntilDue()) {
            // Whoever wants a round wakes it, and so does a store that is closed.
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
            toldNanos = THIS.nanoTime() + aheadNanos;
        }
        // Where it stands is what was told last: then a pause that was reckoned from there is never over by itself.
        return toldNanos;
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
