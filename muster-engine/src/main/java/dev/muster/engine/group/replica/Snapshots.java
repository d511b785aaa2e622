package dev.muster.engine.group.replica;

import dev.muster.engine.runtime.GroupRuntime;
import dev.muster.store.SyncFailedException;
import dev.muster.store.group.DamagedGroupException;
import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Writes snapshots of a group into its journal: after many lines, behind damaged lines, and after a failed sync. Then
 * it trims the journal. For all threads.
 */
final class Snapshots {
    private static final System.Logger LOG = System.getLogger(Snapshots.class.getName());

    private final ReplicaJournal journal;
    private final DurableEnd durable;
    private final GroupRuntime runtime;
    private final int every;
    /** The number of lines after which other processes write the snapshot, if the responsible process did not. */
    private final int backup;

    private final AtomicBoolean writing = new AtomicBoolean();

    Snapshots(ReplicaJournal journal, GroupRuntime runtime) {
        this.journal = journal;
        this.runtime = runtime;
        this.durable = new DurableEnd(journal.lines(), runtime, this::startAnew);
        this.every = runtime.snapshotEvery();
        this.backup = every + every / 10;
    }

    /** The durable end of the journal, which snapshots repair after a failed sync. */
    DurableEnd durable() {
        return durable;
    }

    /** Writes a snapshot if it is due. For a process that has just written a line. */
    void writeIfDue() {
        if (journal.replay().linesSinceSnapshot() >= every && writing.compareAndSet(false, true)) {
            runtime.inBackground(() -> write(every));
        }
    }

    /** Writes a snapshot if it is overdue. For a process that only reads: the responsible process may be dead. */
    void writeIfOverdue() {
        if (journal.replay().linesSinceSnapshot() >= backup && writing.compareAndSet(false, true)) {
            runtime.inBackground(() -> write(backup));
        }
    }

    private void write(int lines) {
        Replay replay = journal.replay();
        try {
            long trim;
            journal.lock().lock();
            try {
                do {
                    replay.readOn();
                    if (replay.linesSinceSnapshot() < lines) {
                        return;
                    }
                } while (!journal.appendSnapshot());
                // The snapshot before this one stays, for processes that are reading now.
                trim = replay.snapshotBefore();
            } finally {
                journal.lock().unlock();
            }
            if (trim > 0) {
                durable.awaitHere(journal.known().version());
                journal.lines().trim(trim);
            }
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "group {0}: no snapshot was written: {1}", journal.group(), e.getMessage());
        } finally {
            writing.set(false);
        }
    }

    /**
     * Writes a snapshot behind damage in lines that this process has applied, and trims the journal to it. So no reader
     * meets the damage again. Does nothing if the journal can be read, or if this process does not know the newest
     * state itself.
     */
    void heal() {
        if (journal.self() == null || journal.known() == null) {
            return;
        }
        Replay replay = journal.replay();
        journal.lock().lock();
        try {
            replay.readOn();
            while (!replay.isReadable()) {
                journal.lines().beginFile();
                if (journal.appendSnapshot()) {
                    journal.lines().trim(replay.lastSnapshot());
                    LOG.log(
                            Level.WARNING,
                            "group {0}: the journal was damaged; this process wrote a snapshot as version {1}",
                            journal.group(),
                            replay.lastSnapshot());
                    return;
                }
                // Another process appended at the same time, possibly its own snapshot.
                replay.readOn();
            }
        } catch (DamagedGroupException e) {
            LOG.log(Level.DEBUG, "group {0} cannot be healed here: {1}", journal.group(), e.getMessage());
        } finally {
            journal.lock().unlock();
        }
    }

    /** Replaces lines that may be lost after a failed sync by a snapshot of the state behind them. */
    private long startAnew(SyncFailedException failure) {
        LOG.log(
                Level.WARNING,
                "group {0}: the disk lost part of the journal; this process replaces it by a snapshot: {1}",
                journal.group(),
                failure.getMessage());
        Replay replay = journal.replay();
        journal.lock().lock();
        try {
            do {
                replay.readOn();
            } while (!journal.appendSnapshot());
            journal.lines().trim(replay.lastSnapshot());
            long end = replay.lastSnapshot() + 1;
            journal.lines().awaitDurable(end);
            return end;
        } finally {
            journal.lock().unlock();
        }
    }
}
