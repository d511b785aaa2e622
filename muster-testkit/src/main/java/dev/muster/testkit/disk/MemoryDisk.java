package dev.muster.testkit.disk;

import dev.muster.disk.DiskSpace;
import dev.muster.disk.Machine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A disk in memory, and the machine around it. Several simulated processes share it ({@link #process}), and the power
 * can fail ({@link #powerCut}). Synced bytes and names survive a power cut. Of the others any part survives: pages of
 * files in any combination, names in any combination, sizes without data.
 *
 * <p>This class is no {@code Disk} on purpose: every user must be a process, and no process outlives a power cut.
 * Thread-safe. A run by one thread depends on its seeds alone.
 */
public final class MemoryDisk {
    /** Guards every node, and the things that processes have open. */
    final ReentrantLock lock = new ReentrantLock();

    final FileTree tree = new FileTree();
    private final List<SimulatedProcess> processes = new ArrayList<>();
    private int cuts;
    private long capacity = Long.MAX_VALUE;
    private int syncsToFail;

    /** Starts a process on this machine. */
    public SimulatedProcess process() {
        return process(Machine.THIS);
    }

    /** Starts a process with threads and clocks of another kind. */
    public SimulatedProcess process(Machine kind) {
        lock.lock();
        try {
            SimulatedProcess process = new SimulatedProcess(this, cuts, kind);
            processes.add(process);
            return process;
        } finally {
            lock.unlock();
        }
    }

    /** Starts a process in the boot after the given number of power cuts. Fails if there has been another cut. */
    SimulatedProcess process(int cutsBefore) throws IOException {
        lock.lock();
        try {
            if (cuts != cutsBefore) {
                throw new IOException("power is off");
            }
            return process();
        } finally {
            lock.unlock();
        }
    }

    /** Ends all processes, and keeps only a part, chosen by {@code random}, of the changes that were not synced. */
    public void powerCut(Random random, Tear tear) {
        lock.lock();
        try {
            cuts++;
            processes.forEach(process -> process.die("power is off"));
            processes.clear();
            tree.powerCut(random, tear);
        } finally {
            lock.unlock();
        }
    }

    /** Limits the bytes of all files together. Writes beyond the limit are cut short. */
    public void capacity(long bytes) {
        lock.lock();
        try {
            capacity = bytes;
        } finally {
            lock.unlock();
        }
    }

    /** The number of bytes of all files that have a name. */
    public long used() {
        lock.lock();
        try {
            return tree.used();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Makes the next syncs of file contents fail as on Linux: the sync reports an error once and marks the pages as
     * clean. The sync after it succeeds and does not write them.
     */
    public void failSyncs(int count) {
        lock.lock();
        try {
            syncsToFail = count;
        } finally {
            lock.unlock();
        }
    }

    /** Copies the files as processes see them now to a real folder, for people and for tools that need real files. */
    public void copyTo(Path target) throws IOException {
        lock.lock();
        try {
            tree.copyTo(target);
        } finally {
            lock.unlock();
        }
    }

    /** The number of these bytes for which there is room. */
    int room(int length) {
        return capacity == Long.MAX_VALUE ? length : (int) Math.clamp(capacity - tree.used(), 0L, (long) length);
    }

    /** The space on this disk; unknown unless a limit is set. */
    DiskSpace space() {
        lock.lock();
        try {
            return capacity == Long.MAX_VALUE
                    ? DiskSpace.UNKNOWN
                    : new DiskSpace(Math.max(0, capacity - tree.used()), capacity);
        } finally {
            lock.unlock();
        }
    }

    boolean thisSyncFails() {
        if (syncsToFail == 0) {
            return false;
        }
        syncsToFail--;
        return true;
    }
}
