package dev.muster.testkit.disk;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Holds one thread in the middle of a disk call, as if its process were stopped there. */
public final class CallGate implements AutoCloseable {
    private final CountDownLatch arrived = new CountDownLatch(1);
    private final CountDownLatch released = new CountDownLatch(1);

    /** Waits until a thread is held at this gate. Fails if none arrives in time. */
    public void awaitArrival(Duration timeout) throws InterruptedException {
        if (!arrived.await(timeout.toNanos(), TimeUnit.NANOSECONDS)) {
            throw new AssertionError("no thread arrived at the gate within " + timeout);
        }
    }

    /**
     * Waits until a thread is held at this gate, or the given work has ended without arriving.
     *
     * @return true if a thread is held
     */
    public boolean awaitArrivalOr(Future<?> work) throws InterruptedException {
        while (!arrived.await(1, TimeUnit.MILLISECONDS)) {
            if (work.isDone()) {
                return arrived.getCount() == 0;
            }
        }
        return true;
    }

    /** Lets the held thread continue. */
    public void release() {
        released.countDown();
    }

    @Override
    public void close() {
        release();
    }

    void hold() {
        arrived.countDown();
        boolean interrupted = false;
        while (true) {
            try {
                released.await();
                break;
            } catch (InterruptedException e) {
                interrupted = true; // a stopped process would not notice the interrupt either
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
