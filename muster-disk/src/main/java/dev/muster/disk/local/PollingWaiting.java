package dev.muster.disk.local;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/**
 * Reads the words again and again, with pauses that grow to 5 ms. It is for kernels without futex_waitv, and for JVMs
 * without native access.
 */
final class PollingWaiting implements MappedPage.Waiting {
    private static final long FIRST_PAUSE_NANOS = 100_000;
    private static final long LONGEST_PAUSE_NANOS = 5_000_000;
    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();

    @Override
    public void awaitChange(MemorySegment page, int[] offsets, int[] expected, long timeoutNanos) {
        long deadline = System.nanoTime() + timeoutNanos;
        long pause = FIRST_PAUSE_NANOS;
        while (!changed(page, offsets, expected)) {
            long left = deadline - System.nanoTime();
            if (left <= 0 || Thread.currentThread().isInterrupted()) {
                return;
            }
            LockSupport.parkNanos(Math.min(left, pause));
            pause = Math.min(LONGEST_PAUSE_NANOS, pause + pause / 4);
        }
    }

    private static boolean changed(MemorySegment page, int[] offsets, int[] expected) {
        for (int i = 0; i < offsets.length; i++) {
            if ((int) INT.getVolatile(page, (long) offsets[i]) != expected[i]) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void wakeAll(MemorySegment page, int offset) {
        // Polling threads read the word itself.
    }
}
