package dev.muster.disk;

import java.io.IOException;
import java.nio.file.Path;

/**
 * A lock between those who change names, for courtesy: a stopped process must not hold up the others, so after half a
 * second they go on without it. What they do under it must be right without it too.
 */
public final class PoliteLock {
    private static final long PATIENCE_NANOS = 500_000_000;
    private static final long PAUSE_NANOS = 1_000_000;

    private PoliteLock() {}

    /** The lock, until it is closed; had or not. */
    public static DiskFile take(Disk disk, Path file) throws IOException {
        Machine machine = disk.machine();
        DiskFile lock = disk.openForAppend(file);
        try {
            long deadline = machine.nanoTime() + PATIENCE_NANOS;
            while (!lock.tryLock() && machine.nanoTime() < deadline) {
                machine.pause(PAUSE_NANOS);
            }
            return lock;
        } catch (IOException e) {
            lock.close();
            throw e;
        }
    }
}
