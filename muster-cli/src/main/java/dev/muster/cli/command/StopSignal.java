package dev.muster.cli.command;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Asks a running command to end early: it reports acknowledged records, finishes work in progress, and begins nothing
 * new. Raised by a signal to the process, or by a test. Thread-safe; once raised it stays raised.
 */
public final class StopSignal {
    private final CountDownLatch raised = new CountDownLatch(1);
    private final List<Runnable> wakes = new ArrayList<>();
    private volatile long graceMs = 1_000;

    public boolean isRaised() {
        return raised.getCount() == 0;
    }

    public void raise() {
        List<Runnable> toWake;
        synchronized (wakes) {
            raised.countDown();
            toWake = List.copyOf(wakes);
        }
        toWake.forEach(Runnable::run);
    }

    /** Calls back when the signal is raised; at once if it was raised already. The callback must not block. */
    public void onRaise(Runnable wake) {
        synchronized (wakes) {
            wakes.add(wake);
        }
        if (isRaised()) {
            wake.run();
        }
    }

    /** The time that the process gives the command to end. */
    public long graceMs() {
        return graceMs;
    }

    public void allow(Duration grace) {
        graceMs = grace.toMillis();
    }

    /** Waits for the signal, at most so long. */
    public boolean await(long nanos) {
        try {
            return raised.await(nanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }
}
