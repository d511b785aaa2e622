package dev.muster.testkit.forward;

import dev.muster.core.group.model.GroupName;
import dev.muster.store.group.GroupJournal;
import dev.muster.store.group.GroupViews;
import dev.muster.store.watch.Registration;
import java.util.List;
import java.util.Optional;

/** A journal that passes every call on to another journal. */
public class ForwardingJournal implements GroupJournal {
    private final GroupJournal target;

    public ForwardingJournal(GroupJournal target) {
        this.target = target;
    }

    protected GroupJournal target() {
        return target;
    }

    @Override
    public GroupName group() {
        return target.group();
    }

    @Override
    public boolean append(long version, String line) {
        return target.append(version, line);
    }

    @Override
    public int lineBytesMax() {
        return target.lineBytesMax();
    }

    @Override
    public boolean appendSnapshot(long version, String line) {
        return target.appendSnapshot(version, line);
    }

    @Override
    public void awaitDurable(long endVersion) {
        target.awaitDurable(endVersion);
    }

    @Override
    public long endVersion() {
        return target.endVersion();
    }

    @Override
    public long startVersion() {
        return target.startVersion();
    }

    @Override
    public List<Line> read(long version) {
        return target.read(version);
    }

    @Override
    public void trim(long version) {
        target.trim(version);
    }

    @Override
    public Registration onAppend(Runnable wake) {
        return target.onAppend(wake);
    }

    @Override
    public void beginFile() {
        target.beginFile();
    }

    @Override
    public void reportDamage() {
        target.reportDamage();
    }

    @Override
    public boolean mayBeHealed() {
        return target.mayBeHealed();
    }

    @Override
    public long damageReports() {
        return target.damageReports();
    }

    @Override
    public Optional<GroupViews> views() {
        return target.views();
    }
}
