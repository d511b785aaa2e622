package dev.muster.store.memory;

import dev.muster.core.group.model.GroupName;
import dev.muster.store.OffsetOutOfRangeException;
import dev.muster.store.group.GroupDeletedException;
import dev.muster.store.group.GroupJournal.Line;
import dev.muster.store.watch.Registration;
import java.util.ArrayList;
import java.util.List;

/**
 * The journal lines of one group, held in memory. All stores that were made from the same {@link MemoryStore} share
 * them.
 */
final class MemoryGroup {
    private static final int READ_LINES = 1000;

    private final GroupName name;
    private final List<String> lines = new ArrayList<>();
    private final AppendListeners listeners = new AppendListeners();
    private long startVersion;
    private boolean deleted;

    MemoryGroup(GroupName name) {
        this.name = name;
    }

    GroupName name() {
        return name;
    }

    boolean append(long version, String line) {
        synchronized (this) {
            checkNotDeleted();
            if (version > endVersion()) {
                throw new IllegalArgumentException(
                        "version " + version + " of " + name + " is not the next one, " + endVersion() + " is");
            }
            if (version != endVersion()) {
                return false;
            }
            lines.add(line);
        }
        listeners.wake();
        return true;
    }

    synchronized long endVersion() {
        checkNotDeleted();
        return startVersion + lines.size();
    }

    synchronized long startVersion() {
        checkNotDeleted();
        return startVersion;
    }

    synchronized List<Line> read(long version) {
        checkInRange(version);
        List<Line> found = new ArrayList<>();
        for (long v = version; v < endVersion() && found.size() < READ_LINES; v++) {
            found.add(new Line(v, lines.get((int) (v - startVersion))));
        }
        return found;
    }

    synchronized void trim(long version) {
        checkNotDeleted();
        if (version > startVersion) {
            checkInRange(version);
            lines.subList(0, (int) (version - startVersion)).clear();
            startVersion = version;
        }
    }

    private void checkInRange(long version) {
        if (version < startVersion() || version > endVersion()) {
            throw new OffsetOutOfRangeException("the journal of " + name, version, startVersion(), endVersion());
        }
    }

    Registration onAppend(Runnable wake) {
        return listeners.add(wake);
    }

    void delete() {
        synchronized (this) {
            deleted = true;
        }
        wake();
    }

    void wake() {
        listeners.wake();
    }

    synchronized void checkNotDeleted() {
        if (deleted) {
            throw new GroupDeletedException(name.value());
        }
    }
}
