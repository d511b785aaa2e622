package dev.muster.engine.group.service;

import dev.muster.engine.runtime.Deadline;
import dev.muster.engine.runtime.GroupRuntime;
import dev.muster.store.group.Hosts;
import dev.muster.store.group.Lease;
import java.lang.System.Logger.Level;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The signs of life that this process gives for all its members. A member may hand out records only for so long after
 * the start of the last one. For all threads.
 */
public final class LeaseKeeper {
    private static final System.Logger LOG = System.getLogger(LeaseKeeper.class.getName());
    private static final Beat NEVER = new Beat(0, 0);
    private static final long AFTER_FAILURE_NANOS = 100_000_000;

    private final Hosts hosts;
    private final GroupRuntime runtime;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile Beat last = NEVER;
    private volatile boolean failing;
    private volatile long lastFailure;

    /** A sign of life, by when it was begun. Equal to itself only. */
    public static final class Beat {
        private final long start;
        private final long leaseNanos;

        private Beat(long start, long leaseNanos) {
            this.start = start;
            this.leaseNanos = leaseNanos;
        }
    }

    LeaseKeeper(Hosts hosts, GroupRuntime runtime) {
        this.hosts = hosts;
        this.runtime = runtime;
    }

    /** The last sign of life. */
    public Beat last() {
        return last;
    }

    /**
     * True if this sign of life was begun less than this time ago. Take it first, then look at the group, and ask this
     * at the end: a sign that was given after a look, maybe after a long stop, says nothing about what was seen.
     */
    public boolean isWithin(Beat beat, long nanos) {
        return beat != NEVER && runtime.nanoTime() - beat.start < Math.min(nanos, beat.leaseNanos);
    }

    /** When the next sign of life is due. */
    long due(long interval, long now) {
        if (failing) {
            return lastFailure + Math.min(interval, AFTER_FAILURE_NANOS);
        }
        Beat beat = last;
        return beat == NEVER ? now : beat.start + interval;
    }

    /**
     * Gives a sign of life.
     *
     * @param gap when the last one is longer ago, others may have given up on us meanwhile
     * @param catchUp makes sure that we know it if they did: until then this sign does not count
     */
    void beat(long gap, Runnable catchUp) {
        lock.lock();
        try {
            beatAlone(gap, catchUp);
        } finally {
            lock.unlock();
        }
    }

    private void beatAlone(long gap, Runnable catchUp) {
        long start = runtime.nanoTime();
        Lease lease;
        try {
            lease = hosts.renew();
            failing = false;
        } catch (RuntimeException e) {
            lastFailure = start;
            if (!failing) {
                failing = true;
                LOG.log(Level.WARNING, "no sign of life could be given: {0}", e.getMessage());
            }
            return;
        }
        if (last != NEVER && start - last.start >= gap) {
            catchUp.run();
        }
        last = new Beat(start, Deadline.nanos(lease.valid()));
    }
}
