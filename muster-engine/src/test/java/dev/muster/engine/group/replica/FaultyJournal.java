package dev.muster.engine.group.replica;

import dev.muster.store.group.GroupJournal;
import dev.muster.testkit.forward.ForwardingJournal;
import java.util.concurrent.atomic.AtomicInteger;

/** A journal that does something else now and then, as a test says. */
public final class FaultyJournal extends ForwardingJournal {
    final AtomicInteger appends = new AtomicInteger();
    final AtomicInteger syncs = new AtomicInteger();
    public final AtomicInteger looks = new AtomicInteger();

    private volatile Runnable beforeAppend = () -> {};
    private volatile Runnable afterAppend = () -> {};
    private volatile Runnable beforeSync = () -> {};
    private volatile Runnable beforeLook = () -> {};

    public FaultyJournal(GroupJournal real) {
        super(real);
    }

    /** Once, before the next append. */
    public void beforeAppend(Runnable action) {
        beforeAppend = action;
    }

    /** Once, when the next append has its place and its answer is on its way. */
    void afterAppend(Runnable action) {
        afterAppend = action;
    }

    /** Once, before the next look at the end. */
    public void beforeLook(Runnable action) {
        beforeLook = action;
    }

    /** With every sync. */
    public void beforeSync(Runnable action) {
        beforeSync = action;
    }

    @Override
    public boolean append(long version, String line) {
        appends.incrementAndGet();
        Runnable before = beforeAppend;
        beforeAppend = () -> {};
        before.run();
        boolean done = super.append(version, line);
        Runnable after = afterAppend;
        afterAppend = () -> {};
        after.run();
        return done;
    }

    @Override
    public void awaitDurable(long endVersion) {
        syncs.incrementAndGet();
        beforeSync.run();
        super.awaitDurable(endVersion);
    }

    @Override
    public long endVersion() {
        looks.incrementAndGet();
        Runnable before = beforeLook;
        beforeLook = () -> {};
        before.run();
        return super.endVersion();
    }
}
