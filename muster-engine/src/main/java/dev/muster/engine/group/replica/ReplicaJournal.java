package dev.muster.engine.group.replica;

import dev.muster.core.group.Group;
import dev.muster.core.group.json.GroupJson;
import dev.muster.core.group.model.GroupName;
import dev.muster.core.group.model.HostId;
import dev.muster.engine.runtime.GroupRuntime;
import dev.muster.store.ReadOnlyException;
import dev.muster.store.group.GroupDeletedException;
import dev.muster.store.group.GroupJournal;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A group's journal, the state that its lines lead to, and the lock under which this process reads on and appends. The
 * lock is held for an append and never for a sync. {@link #known} is for all threads; every other method needs the
 * lock.
 */
final class ReplicaJournal {
    private final GroupJournal journal;
    private final HostId self;
    private final GroupRuntime runtime;
    private final Replay replay;
    private final ReentrantLock lock = new ReentrantLock();

    /** @param self this process; null if it may only read */
    ReplicaJournal(GroupJournal journal, HostId self, GroupRuntime runtime) {
        this.journal = journal;
        this.self = self;
        this.runtime = runtime;
        this.replay = new Replay(journal);
    }

    GroupName group() {
        return journal.group();
    }

    /** This process; null if it may only read. */
    HostId self() {
        return self;
    }

    GroupJournal lines() {
        return journal;
    }

    ReentrantLock lock() {
        return lock;
    }

    /** The newest state that was read; null before the first read. From any thread. */
    VersionedGroup known() {
        return replay.seen();
    }

    Replay replay() {
        return replay;
    }

    /**
     * Appends an entry that was decided on the known state.
     *
     * @param after group with the entry applied
     * @return False if another line has this version
     */
    boolean append(String line, Group after) {
        if (!append(known().version(), line)) {
            return false;
        }
        replay.wrote(after);
        return true;
    }

    /** Appends a snapshot of the known state. @return False if another line has this version */
    boolean appendSnapshot() {
        VersionedGroup at = known();
        if (!append(at.version(), GroupJson.snapshot(at.group(), runtime.wallMillis(), self))) {
            return false;
        }
        replay.wroteSnapshot();
        return true;
    }

    private boolean append(long version, String line) {
        if (self == null) {
            throw new ReadOnlyException("change group \"" + group() + "\"");
        }
        try {
            return journal.append(version, line);
        } catch (GroupDeletedException e) {
            throw e;
        } catch (RuntimeException e) {
            if (!isThere(version, line, e)) {
                throw e;
            }
            return true;
        }
    }

    /**
     * True if a failed append wrote the line nevertheless. Only this process writes its name into a line, and only the
     * holder of the lock writes for this process. So an equal line at this version is this process's line.
     */
    private boolean isThere(long version, String line, RuntimeException failure) {
        try {
            List<GroupJournal.Line> lines = journal.read(version);
            return !lines.isEmpty() && lines.getFirst().text().equals(line);
        } catch (RuntimeException e) {
            failure.addSuppressed(e);
            return false;
        }
    }
}
