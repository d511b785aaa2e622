package dev.muster.store.file;

import dev.muster.store.LogStore;
import dev.muster.store.watch.Registration;

/**
 * A role that this process has in a directory. It is lost if the directory is replaced and another process takes it.
 */
final class FileClaim implements LogStore.Claim {
    private final RoleLock lock;
    private final Runnable release;
    private volatile boolean closed;

    FileClaim(RoleLock lock, Runnable release) {
        this.lock = lock;
        this.release = release;
    }

    @Override
    public boolean isHeld() {
        return !closed && !lock.loss().hasHappened();
    }

    @Override
    public Registration onLost(Runnable lost) {
        return lock.loss().listen(lost);
    }

    @Override
    public void close() {
        closed = true;
        release.run();
    }
}
