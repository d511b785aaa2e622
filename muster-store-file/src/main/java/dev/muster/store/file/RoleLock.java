package dev.muster.store.file;

import dev.muster.disk.Disk;
import dev.muster.disk.DiskFile;
import dev.muster.disk.FileIdentity;
import dev.muster.store.watch.OneTimeEvent;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/** The lock on a file, held for a role. If the file is replaced, the lock is void until it is taken again. */
final class RoleLock implements AutoCloseable {
    private final Disk disk;
    private final Path file;
    private final OneTimeEvent loss = new OneTimeEvent();
    private DiskFile lock;
    private FileIdentity locked;

    private RoleLock(Disk disk, Path file, DiskFile lock) throws IOException {
        this.disk = disk;
        this.file = file;
        this.lock = lock;
        this.locked = lock.identity();
    }

    /** Takes the lock; empty if another process has it. */
    static Optional<RoleLock> take(Disk disk, Path file) throws IOException {
        DiskFile lock = disk.openForAppend(file);
        try {
            if (lock.tryLock()) {
                return Optional.of(new RoleLock(disk, file, lock));
            }
        } catch (IOException e) {
            lock.close();
            throw e;
        }
        lock.close();
        return Optional.empty();
    }

    /** The loss of the role. */
    OneTimeEvent loss() {
        return loss;
    }

    Path file() {
        return file;
    }

    /**
     * Takes the lock again if the name belongs to another file now. If another process has it, the role is lost.
     *
     * @return false if the role is lost
     */
    boolean keep() throws IOException {
        if (isInPlace()) {
            return true;
        }
        Optional<RoleLock> anew = take(disk, file);
        if (anew.isEmpty()) {
            loss.happens();
            return false;
        }
        lock.close();
        lock = anew.get().lock;
        locked = anew.get().locked;
        return true;
    }

    private boolean isInPlace() throws IOException {
        try {
            return disk.identity(file).equals(locked);
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    @Override
    public void close() {
        lock.close();
    }
}
