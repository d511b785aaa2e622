package dev.muster.disk.local;

import java.lang.foreign.MemorySegment;

/**
 * Waits in the kernel. A waiting thread uses no CPU, and waking a thread of another process takes tens of microseconds.
 */
final class FutexWaiting implements MappedPage.Waiting {
    private final MappedPage.Waiting fallback = new PollingWaiting();

    @Override
    public void awaitChange(MemorySegment page, int[] offsets, int[] expected, long timeoutNanos) {
        try (CallMemory scratch = CallMemory.take()) {
            MemorySegment waiters = scratch.buffer(LinuxCalls.waitersBytes(offsets.length));
            long deadline = System.nanoTime() + timeoutNanos;
            if (!LinuxCalls.futexWaitAny(scratch.errno, waiters, page, offsets, expected, deadline)) {
                fallback.awaitChange(page, offsets, expected, timeoutNanos);
            }
        }
    }

    @Override
    public void wakeAll(MemorySegment page, int offset) {
        try (CallMemory scratch = CallMemory.take()) {
            LinuxCalls.futexWakeAll(scratch.errno, page.asSlice(offset, Integer.BYTES));
        }
    }
}
