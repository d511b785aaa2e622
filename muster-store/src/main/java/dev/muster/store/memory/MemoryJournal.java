package dev.muster.store.memory;

import dev.muster.core.group.model.GroupName;
import dev.muster.store.group.GroupJournal;
import dev.muster.store.watch.Registration;
import java.util.List;

/**
 * A group's journal of one store. It cannot be used once that store is closed, while other stores on the memory
 * continue.
 */
final class MemoryJournal implements GroupJournal {
    private final MemoryStore store;
    private final MemoryGroup group;

    MemoryJournal(MemoryStore store, MemoryGroup group) {
        this.store = store;
        this.group = group;
    }

    private MemoryGroup usable() {
        store.checkOpen();
        return group;
    }

    @Override
    public GroupName group() {
        return group.name();
    }

    @Override
    public boolean append(long version, String line) {
        return usable().append(version, line);
    }

    @Override
    public void awaitDurable(long endVersion) {
        if (endVersion > usable().endVersion()) {
            throw new IllegalArgumentException("version " + (endVersion - 1) + " was never written");
        }
    }

    @Override
    public long endVersion() {
        return usable().endVersion();
    }

    @Override
    public long startVersion() {
        return usable().startVersion();
    }

    @Override
    public List<Line> read(long version) {
        return usable().read(version);
    }

    @Override
    public void trim(long version) {
        usable().trim(version);
    }

    @Override
    public Registration onAppend(Runnable wake) {
        return usable().onAppend(wake);
    }

    MemoryGroup shared() {
        return group;
    }
}
