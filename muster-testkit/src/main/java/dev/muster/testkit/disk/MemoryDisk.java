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
 * A disk in memory, and the machine around it: several simulated processes share it ({@link #process}), and the power
 * can go ({@link #powerCut}). What was synced survives that; of the rest any part does: pages of files in any
 * combination, names in any combination, sizes without data.
 *
 * <p>Not a {@code Disk} itself on purpose: whoever uses it is a process, and none of them outlives a power cut. Safe
 * for use by many threads. What a run by one thread does depends on its seeds alone.
 */
public final class MemoryDisk {
    /** Guards every node, and what processes have open. */
    final ReentrantLock lock = new ReentrantLock();

    final FileTree tree = new FileTree();
    private final List<SimulatedProcess> processes = new ArrayList<>();
    private int cuts;
    private long capacity = Long.MAX_VALUE;
    private int syncsToFail;

    /** A new process on this machine. */
    public SimulatedProcess process() {
        return process(Machine.THIS);
    }

    /** A new process whose threads and clocks are of another kind. */
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

    /** A new process, if the power has not gone since the given number of cuts. */
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

    /** All processes die, and of what was not synced only a part chosen by {@code random} is there afterwards. */
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

    /** How many bytes all files together may have. Writes beyond come out short. */
    public void capacity(long bytes) {
        lock.lock();
        try {
            capacity = bytes;
        } finally {
            lock.unlock();
        }
    }

    /** Bytes of all files that have a name. */
    public long used() {
        lock.lock();
        try {
            return tree.used();
        } finally {
            lock.unlock();
        }
    }

    /**
     * The next syncs of file contents fail as Linux lets them fail: an error once, the pages are held for clean, and
     * the sync after it succeeds without them.
     */
    public void failSyncs(int count) {
        lock.lock();
        try {
            syncsToFail = count;
        } finally {
            lock.unlock();
        }
    }

    /** Copies what processes see now into a real folder: to look at it, or for tools that want real files. */
    public void copyTo(Path target) throws IOException {
        lock.lock();
        try {
            tree.copyTo(target);
        } finally {
            lock.unlock();
        }
    }

    /** How many of these bytes there is room for. */
    int room(int length) {
        return capacity == Long.MAX_VALUE ? length : (int) Math.clamp(capacity - tree.used(), 0L, (long) length);
    }

    /** Unknown as long as there is no limit. */
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
