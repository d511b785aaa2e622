package dev.muster.disk;

import java.util.UUID;
import java.util.concurrent.locks.LockSupport;

/**
 * The machine that a disk is in, without its files: a clock that only goes forward, threads, and ids that were never
 * used before. A simulator has its own ({@link Disk#machine}), so that a run depends on its seed alone.
 */
public interface Machine {
    /**
     * The tolerance for the start time of a process: the system computes it from the boot time, which it knows to the
     * second.
     */
    long START_TOLERANCE_MS = 5_000;

    /** The machine that this code runs on. */
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

    /** Waits for this time. It returns early if the thread is unparked, and may return early without a reason. */
    void pause(long nanos);

    /** A platform thread that ends with its process. It is not started yet. */
    Thread thread(String name, Runnable work);

    UUID newId();

    /**
     * True if this process can see a running process with this number and this start time. False if that is not known.
     *
     * @param startMs the start time in milliseconds since 1970
     */
    default boolean runs(long pid, long startMs) {
        return false;
    }
}
