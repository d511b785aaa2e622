package dev.muster.engine.group.replica;

import dev.muster.core.group.Group;
import dev.muster.core.group.json.BadLineException;
import dev.muster.core.group.json.GroupJson;
import dev.muster.store.DamagedLogException;
import dev.muster.store.OffsetOutOfRangeException;
import dev.muster.store.group.DamagedGroupException;
import dev.muster.store.group.GroupJournal;
import dev.muster.store.group.GroupJournal.Line;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;

/**
 * Applies the lines of a journal to the state of its group. For one thread at a time; the state is safe for many
 * threads.
 */
final class Replay {
    private static final System.Logger LOG = System.getLogger(Replay.class.getName());
    private static final long NONE = -1;

    private final GroupJournal journal;
    private volatile VersionedGroup seen;
    /** The version of the last snapshot in the journal. */
    private volatile long snapshot = NONE;
    /** The version of the snapshot before the last one. */
    private long snapshotBefore = NONE;

    Replay(GroupJournal journal) {
        this.journal = journal;
    }

    /** The newest known state; null before the first {@link #readOn}. */
    VersionedGroup seen() {
        return seen;
    }

    /**
     * Applies new lines.
     *
     * @return True if there were new lines
     * @throws DamagedGroupException if a needed line is damaged; the state is unchanged then
     */
    boolean readOn() {
        VersionedGroup before = seen;
        try {
            seen = before == null ? load() : follow(before);
        } catch (OffsetOutOfRangeException | DamagedLogException | BadLineException e) {
            // The missing lines are trimmed or damaged. A snapshot behind them contains their effects.
            LOG.log(Level.DEBUG, "the journal of group {0} is read from its start: {1}", journal.group(), e);
            seen = load();
        }
        return seen != before;
    }

    /** True if the state can be read from the journal alone. */
    boolean isReadable() {
        try {
            new Replay(journal).readOn();
            return true;
        } catch (DamagedGroupException e) {
            LOG.log(Level.DEBUG, "the journal of group " + journal.group() + " is not readable", e);
            return false;
        }
    }

    private VersionedGroup follow(VersionedGroup from) {
        VersionedGroup at = from;
        for (List<Line> lines = journal.read(at.version()); !lines.isEmpty(); lines = journal.read(at.version())) {
            for (Line line : lines) {
                at = after(at, line);
            }
        }
        return at;
    }

    private VersionedGroup after(VersionedGroup before, Line line) {
        Group group = GroupJson.replay(before.group(), line.text());
        if (GroupJson.isSnapshot(line.text())) {
            snapshotAt(line.version());
        }
        return next(before, line.version(), group);
    }

    private static VersionedGroup next(VersionedGroup before, long version, Group group) {
        boolean sameGeneration = group.generation() == before.group().generation();
        return new VersionedGroup(version + 1, group, sameGeneration ? before.generationEnd() : version + 1);
    }

    private void snapshotAt(long version) {
        snapshotBefore = snapshot;
        snapshot = version;
    }

    /** Reads the state from the newest snapshot, or from the first line of the journal. */
    private VersionedGroup load() {
        while (true) {
            try {
                return loadFrom(journal.startVersion());
            } catch (OffsetOutOfRangeException e) {
                // Another process trims faster than this one reads; the start has moved on.
                LOG.log(Level.DEBUG, "the journal of group {0} was trimmed while it was read", journal.group());
            }
        }
    }

    private VersionedGroup loadFrom(long start) {
        snapshot = NONE;
        snapshotBefore = NONE;
        List<Line> lines = new ArrayList<>();
        DamagedLogException damage = null;
        long at = start;
        while (true) {
            try {
                List<Line> more = journal.read(at);
                if (more.isEmpty()) {
                    break;
                }
                for (Line line : more) {
                    if (GroupJson.isSnapshot(line.text())) {
                        snapshotAt(line.version());
                        lines.clear();
                        damage = null;
                    }
                    lines.add(line);
                }
                at = more.getLast().version() + 1;
            } catch (DamagedLogException e) {
                // A later snapshot replaces the damaged lines. Without one the state cannot be read.
                damage = e;
                at = e.nextOffset();
            }
        }
        if (damage != null) {
            throw new DamagedGroupException(
                    journal.group().value(),
                    damage.file() + " at byte " + damage.filePosition(),
                    damage.firstOffset(),
                    damage.problem(),
                    damage);
        }
        VersionedGroup state = new VersionedGroup(snapshot == NONE ? start : snapshot, Group.empty(), 0);
        for (Line line : lines) {
            try {
                state = next(state, line.version(), GroupJson.replay(state.group(), line.text()));
            } catch (BadLineException e) {
                throw new DamagedGroupException(journal.group().value(), "its journal", line.version(), e.problem(), e);
            }
        }
        return state;
    }

    /**
     * Notes that this process wrote an entry as the line at the present version.
     *
     * @param after group with the entry applied
     */
    void wrote(Group after) {
        seen = next(seen, seen.version(), after);
    }

    /** Notes that this process wrote a snapshot as the line at the present version. */
    void wroteSnapshot() {
        snapshotAt(seen.version());
        seen = new VersionedGroup(seen.version() + 1, seen.group(), seen.generationEnd());
    }

    /** The number of lines that a new process must apply. From any thread. */
    long linesSinceSnapshot() {
        return seen.version() - Math.max(snapshot, 0);
    }

    long lastSnapshot() {
        return snapshot;
    }

    /** The version of the last snapshot but one; negative if there is none. */
    long snapshotBefore() {
        return snapshotBefore;
    }
}
