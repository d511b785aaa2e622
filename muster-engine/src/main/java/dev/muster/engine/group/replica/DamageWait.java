package dev.muster.engine.group.replica;

import dev.muster.engine.runtime.GroupRuntime;
import dev.muster.store.group.DamagedGroupException;
import dev.muster.store.group.GroupJournal;
import java.lang.System.Logger.Level;

/**
 * Handles a journal that cannot be read. Reports the damage, waits a bounded time until a process that knows the state
 * appends a snapshot behind it, and then fails. The failure is kept for a while, so that repeated calls do not read the
 * damaged journal again. Safe for many threads.
 *
 * <p>A process whose state ends before the damage writes nothing: it does not know the damaged lines.
 */
final class DamageWait {
    private static final System.Logger LOG = System.getLogger(DamageWait.class.getName());

    /** The longest wait for a healing process. It takes milliseconds, and longer on a busy machine. */
    static final long PATIENCE_NANOS = 2_000_000_000L;

    private static final long RETRY_NANOS = 10_000_000;
    /** The time for which a failure is thrown again without reading the journal, unless a line was appended. */
    private static final long KEPT_NANOS = 1_000_000_000;
    /** The interval at which a process waits for a healing process again, and logs the damage. */
    private static final long AGAIN_NANOS = 60_000_000_000L;

    private final GroupJournal journal;
    private final GroupRuntime runtime;
    private Failure last;
    private long waitedAt;
    private boolean waited;
    private long loggedAt;
    private boolean logged;

    /** A failure, and the journal's bounds when it was found. */
    private record Failure(DamagedGroupException damage, long start, long end, long at) {}

    /** One attempt to read on in the journal. */
    interface Attempt {
        boolean readOn();
    }

    DamageWait(GroupJournal journal, GroupRuntime runtime) {
        this.journal = journal;
        this.runtime = runtime;
    }

    /**
     * Reads new lines. Waits for a process that heals the journal if necessary.
     *
     * @return True if there were new lines
     */
    boolean patiently(Attempt attempt) {
        throwIfKnown();
        long end = 0;
        while (true) {
            try {
                return attempt.readOn();
            } catch (DamagedGroupException e) {
                boolean first = end == 0;
                if (first) {
                    end = beginToWait(e) ? runtime.nanoTime() + PATIENCE_NANOS : runtime.nanoTime();
                }
                if (runtime.nanoTime() - end >= 0 || !runtime.pause(RETRY_NANOS)) {
                    throw e;
                }
            }
        }
    }

    /** Reads new lines. Reports damage without waiting. */
    boolean atOnce(Attempt attempt) {
        throwIfKnown();
        try {
            return attempt.readOn();
        } catch (DamagedGroupException e) {
            keep(e);
            throw e;
        }
    }

    private synchronized void throwIfKnown() {
        if (last != null) {
            boolean same = journal.endVersion() == last.end && journal.startVersion() == last.start;
            if (same && runtime.nanoTime() - last.at < KEPT_NANOS) {
                throw last.damage;
            }
        }
    }

    private synchronized void keep(DamagedGroupException damage) {
        long now = runtime.nanoTime();
        last = new Failure(damage, journal.startVersion(), journal.endVersion(), now);
        if (!logged || now - loggedAt >= AGAIN_NANOS) {
            logged = true;
            loggedAt = now;
            LOG.log(Level.INFO, "{0}", damage.getMessage());
        }
        journal.reportDamage();
    }

    /** @return True if this call should wait for a healing process; one call per minute does */
    private synchronized boolean beginToWait(DamagedGroupException damage) {
        keep(damage);
        long now = runtime.nanoTime();
        if (!journal.mayBeHealed() || waited && now - waitedAt < AGAIN_NANOS) {
            return false;
        }
        waited = true;
        waitedAt = now;
        return true;
    }
}
