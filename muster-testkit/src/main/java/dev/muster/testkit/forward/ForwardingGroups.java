package dev.muster.testkit.forward;

import dev.muster.core.group.model.GroupName;
import dev.muster.store.group.GroupJournal;
import dev.muster.store.group.GroupStore;
import dev.muster.store.group.Hosts;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** The groups of a store, with journals of the test's own kind around the journals of another store. */
public abstract class ForwardingGroups<J extends ForwardingJournal> implements GroupStore {
    private final GroupStore target;
    private final Map<GroupName, J> journals = new ConcurrentHashMap<>();

    protected ForwardingGroups(GroupStore target) {
        this.target = target;
    }

    /** A journal around this one. Called once for each journal. */
    protected abstract J wrap(GroupJournal journal);

    private GroupJournal wrapped(GroupJournal journal) {
        return journals.compute(
                journal.group(), (_, known) -> known != null && known.target() == journal ? known : wrap(journal));
    }

    /** The journal of a group that was opened here; null if none was. */
    public J journal(GroupName group) {
        return journals.get(group);
    }

    @Override
    public List<GroupName> list() {
        return target.list();
    }

    @Override
    public Optional<GroupJournal> find(GroupName group) {
        return target.find(group).map(this::wrapped);
    }

    @Override
    public GroupJournal open(GroupName group) {
        return wrapped(target.open(group));
    }

    @Override
    public void delete(GroupJournal journal) {
        target.delete(((ForwardingJournal) journal).target());
    }

    @Override
    public void remove(GroupName group) {
        target.remove(group);
    }

    @Override
    public Optional<String> nameProblem(GroupName group) {
        return target.nameProblem(group);
    }

    @Override
    public Optional<GroupJournal> findDamaged(GroupName group) {
        return target.findDamaged(group).map(this::wrapped);
    }

    @Override
    public void restoreName(GroupName group) {
        target.restoreName(group);
    }

    @Override
    public Hosts hosts() {
        return target.hosts();
    }
}
