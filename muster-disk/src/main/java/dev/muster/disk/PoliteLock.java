package dev.muster.disk;

import java.io.IOException;
import java.nio.file.Path;

/**
 * A lock between processes that change names. It only avoids needless work: after half a second a waiting process goes
 * on without the lock, so that a stopped process does not block the others. So every operation under the lock must be
 * correct without it too.
 */
public final class PoliteLock {
    private static final long PATIENCE_NANOS = 500_000_000;
    private static final long PAUSE_NANOS = 1_000_000;

    private PoliteLock() {}

    /** Waits for the lock and returns its file, whether the lock was taken or not. Closing the file frees the lock. */
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
