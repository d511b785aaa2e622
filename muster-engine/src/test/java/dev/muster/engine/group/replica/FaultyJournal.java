package dev.muster.engine.group.replica;

import dev.muster.core.group.model.GroupName;
import dev.muster.store.group.GroupJournal;
import dev.muster.store.watch.Registration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

/** A journal that runs actions of a test before or after its operations. */
public final class FaultyJournal implements GroupJournal {
    final AtomicInteger appends = new AtomicInteger();
    final AtomicInteger syncs = new AtomicInteger();
    public final AtomicInteger looks = new AtomicInteger();

    private final GroupJournal real;
    private volatile Runnable beforeAppend = () -> {};
    private volatile Runnable afterAppend = () -> {};
    private volatile Runnable beforeSync = () -> {};
    private volatile Runnable beforeLook = () -> {};

    public FaultyJournal(GroupJournal real) {
        this.real = real;
    }

    /** Sets an action that runs once, before the next append. */
    public void beforeAppend(Runnable action) {
        beforeAppend = action;
    }

    /** Sets an action that runs once, after the next append and before its result is returned. */
    void afterAppend(Runnable action) {
        afterAppend = action;
    }

    public GroupJournal real() {
        return real;
    }

    /** Sets an action that runs once, before the next read of the end. */
    public void beforeLook(Runnable action) {
        beforeLook = action;
    }

    /** Sets an action that runs before every sync. */
    public void beforeSync(Runnable action) {
        beforeSync = action;
    }

    @Override
    public GroupName group() {
        return real.group();
    }

    @Override
    public boolean append(long version, String line) {
        appends.incrementAndGet();
        Runnable before = beforeAppend;
        beforeAppend = () -> {};
        before.run();
        boolean done = real.append(version, line);
        Runnable after = afterAppend;
        afterAppend = () -> {};
        after.run();
        return done;
    }

    @Override
    public void awaitDurable(long endVersion) {
        syncs.incrementAndGet();
        beforeSync.run();
        real.awaitDurable(endVersion);
    }

    @Override
    public long endVersion() {
        looks.incrementAndGet();
        Runnable before = beforeLook;
        beforeLook = () -> {};
        before.run();
        return real.endVersion();
    }

    @Override
    public long startVersion() {
        return real.startVersion();
    }

    @Override
    public List<Line> read(long version) {
        return real.read(version);
    }

    @Override
    public void trim(long version) {
        real.trim(version);
    }

    @Override
    public Registration onAppend(Runnable wake) {
        return real.onAppend(wake);
    }

    @Override
    public List<View> views(String folder) {
        return real.views(folder);
    }

    @Override
    public boolean extend(String path, UnaryOperator<String> more) {
        return real.extend(path, more);
    }

    @Override
    public void publish(List<View> views) {
        real.publish(views);
    }
}
