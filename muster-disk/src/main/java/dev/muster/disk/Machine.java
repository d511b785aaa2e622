package dev.muster.disk;

import java.util.UUID;
import java.util.concurrent.locks.LockSupport;

/**
 * The machine that a disk is in, besides its files: a clock that only goes forward, threads, and names that nobody had
 * before. A simulator gives its own ({@link Disk#machine}), so that what happens depends on its seed alone.
 */
public interface Machine {
    /** The system tells the start of a process by the time of the boot, which it knows to the second. */
    long START_TOLERANCE_MS = 5_000;

    /** The one this code runs on. */
    Machine THIS = new Machine() {
        @Override
        public long nanoTime() {
            return System.nanoTime();
        }

        @Override
        public boolean sharesMonotonicClock() {
            return MonotonicClock.IS_SHARED;
        }

        @Override
        public void pause(long nanos) {
            LockSupport.parkNanos(this, nanos);
        }

        @Override
        public Thread thread(String name, Runnable work) {
            return Thread.ofPlatform().daemon().name(name).unstarted(work);
        }

        @Override
        public UUID newId() {
            return UUID.randomUUID();
        }

        @Override
        public boolean runs(long pid, long startMs) {
            return ProcessHandle.of(pid)
                    .filter(ProcessHandle::isAlive)
                    .flatMap(process -> process.info().startInstant())
                    .filter(start -> Math.abs(start.toEpochMilli() - startMs) <= START_TOLERANCE_MS)
                    .isPresent();
        }
    };

    long nanoTime();

    /** True if {@link #nanoTime} of all processes of this boot is the same clock. */
    default boolean sharesMonotonicClock() {
        return true;
    }

    /** Waits for so long; shorter when somebody unparks the thread, or by chance. */
    void pause(long nanos);

    /** A platform thread that ends with its process; not started yet. */
    Thread thread(String name, Runnable work);

    UUID newId();

    /**
     * True if a process with this number runs that started at this time, as far as this process can see. False where
     * that is not known.
     *
     * @param startMs milliseconds since 1970
     */
    default boolean runs(long pid, long startMs) {
        return false;
    }
}
