package dev.muster.testkit.sim;

import dev.muster.disk.FileIdentity;
import dev.muster.disk.Page;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** A page of a simulated process. At each access to a word the turn may pass to another process. */
final class SimPage implements Page {
    private final SimProcess process;
    private final Path file;
    private final Page page;
    private final boolean isBeat;
    private final boolean isJournal;

    SimPage(SimProcess process, Path file, Page page) {
        this.process = process;
        this.file = file;
        this.page = page;
        this.isBeat = file.toString().endsWith(".beat");
        this.isJournal = file.getFileName().toString().startsWith("control-")
                && file.getParent().toString().contains("journal");
    }

    @Override
    public int size() {
        process.checkAlive();
        return page.size();
    }

    @Override
    public long get(int offset) {
        process.point(1);
        long value = page.get(offset);
        if (isJournal) {
            process.looked();
        }
        return value;
    }

    @Override
    public void set(int offset, long value) {
        process.point(1);
        page.set(offset, value);
    }

    @Override
    public boolean compareAndSet(int offset, long expected, long value) {
        process.point(2);
        boolean done = page.compareAndSet(offset, expected, value);
        if (isBeat && offset == 0 && done) {
            process.simulation().beat(process);
        }
        process.point(2);
        return done;
    }

    @Override
    public int getInt(int offset) {
        process.point(1);
        return page.getInt(offset);
    }

    @Override
    public int getAndAddInt(int offset, int delta) {
        process.point(1);
        return page.getAndAddInt(offset, delta);
    }

    @Override
    public int getAndSetInt(int offset, int value) {
        process.point(1);
        return page.getAndSetInt(offset, value);
    }

    @Override
    public void awaitChange(int[] offsets, int[] expected, long timeoutNanos) {
        process.point(1);
        for (int i = 0; i < offsets.length; i++) {
            if (page.getInt(offsets[i]) != expected[i]) {
                return;
            }
        }
        List<Thread> waiters = process.simulation().waiters().computeIfAbsent(file, any -> new ArrayList<>());
        Thread self = process.currentThread();
        waiters.add(self);
        try {
            process.pause(timeoutNanos);
        } finally {
            waiters.remove(self);
        }
    }

    @Override
    public void wakeAll(int offset) {
        process.point(1);
        List<Thread> waiters = process.simulation().waiters().get(file);
        if (waiters != null) {
            waiters.forEach(LockSupport::unpark);
        }
    }

    @Override
    public FileIdentity identity() {
        process.checkAlive();
        return page.identity();
    }

    @Override
    public boolean writable() {
        process.checkAlive();
        return page.writable();
    }

    @Override
    public void close() {
        page.close();
    }
}
