package dev.muster.disk;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** The bells of a system without bells: no bell can be watched, and {@link #await} only waits. */
public final class NoBells implements Bells {
    private final Semaphore wakeUps = new Semaphore(0);

    @Override
    public boolean watch(Path bell) {
        return false;
    }

    @Override
    public void forget(Path bell) {
        // No bell is watched.
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
