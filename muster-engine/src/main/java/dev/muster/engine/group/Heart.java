package dev.muster.engine.group;

import dev.muster.store.group.Hosts;
import java.lang.System.Logger.Level;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The signs of life that this process gives for all its members. A member may hand out records only for so long after
 * the start of the last one, see {@link GroupMember}. For all threads.
 */
final class Heart {
    private static final System.Logger LOG = System.getLogger(Heart.class.getName());

    private final Hosts hosts;
    private final Surroundings world;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile long lastBeat;
    private volatile boolean everBeat;
    private boolean failing;

    Heart(Hosts hosts, Surroundings world) {
        this.hosts = hosts;
        this.world = world;
    }

    /** Whether the last sign of life was given less than this time ago. */
    boolean beatWithin(long nanos) {
        return everBeat && world.nanoTime() - lastBeat < nanos;
    }

    /** When the next sign of life is due. */
    long due(long interval, long now) {
        return everBeat ? lastBeat + interval : now;
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
        long start = world.nanoTime();
        try {
            hosts.beat();
            failing = false;
        } catch (RuntimeException e) {
            if (!failing) {
                failing = true;
                LOG.log(Level.WARNING, "no sign of life could be given: {0}", e.getMessage());
            }
            return;
        }
        if (everBeat && start - lastBeat >= gap) {
            catchUp.run();
        }
        lastBeat = start;
        everBeat = true;
    }
}
