package dev.muster.store.memory;

import dev.muster.core.group.model.GroupName;
import dev.muster.store.group.GroupJournal;
import dev.muster.store.group.GroupStore;
import dev.muster.store.group.Hosts;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** The groups of a memory, as one of its stores sees them. */
final class MemoryGroups implements GroupStore {
    private final MemoryStore store;
    private final Memory memory;
    private final Hosts hosts;
    private final Map<GroupName, MemoryJournal> journals = new ConcurrentHashMap<>();

    MemoryGroups(MemoryStore store, Memory memory, MemoryHost self) {
        this.store = store;
        this.memory = memory;
        this.hosts = new MemoryHosts(memory, self);
    }

    @Override
    public List<GroupName> list() {
        store.checkOpen();
        return List.copyOf(memory.groups.keySet());
    }

    @Override
    public Optional<GroupJournal> find(GroupName group) {
        store.checkOpen();
        return Optional.ofNullable(memory.groups.get(group)).map(this::journal);
    }

    @Override
    public GroupJournal open(GroupName group) {
        store.checkOpen();
        return journal(memory.groups.computeIfAbsent(group, MemoryGroup::new));
    }

    private MemoryJournal journal(MemoryGroup group) {
        return journals.compute(
                group.name(),
                (name, known) -> known != null && known.shared() == group ? known : new MemoryJournal(store, group));
    }

    @Override
    public void delete(GroupJournal journal) {
        store.checkOpen();
        MemoryGroup gone = ((MemoryJournal) journal).shared();
        memory.groups.remove(gone.name(), gone);
        gone.delete();
    }

    @Override
    public void remove(GroupName group) {
        find(group).ifPresent(this::delete);
    }

    @Override
    public Hosts hosts() {
        return hosts;
    }
}
