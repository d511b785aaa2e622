package dev.muster.disk;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Where the system offers no bells: nothing can be watched, and waiting is only waiting. */
public final class NoBells implements Bells {
    private final Semaphore wakeUps = new Semaphore(0);

    @Override
    public boolean watch(Path bell) {
        return false;
    }

    @Override
    public void forget(Path bell) {
        // Nothing is watched.
    }

    @Override
    public List<Path> await(long timeoutNanos) {
        try {
            if (wakeUps.tryAcquire(timeoutNanos, TimeUnit.NANOSECONDS)) {
                wakeUps.drainPermits();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return List.of();
    }

    @Override
    public void wakeUp() {
        wakeUps.release();
    }

    @Override
    public void close() {
        wakeUp();
    }
}
