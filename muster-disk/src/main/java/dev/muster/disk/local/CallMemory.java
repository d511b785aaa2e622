package dev.muster.disk.local;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.ArrayBlockingQueue;

/**
 * Native memory for one system call: a place for errno, a lock description, and a buffer. It is pooled, because
 * allocating native memory for each call costs more than the call, and thread locals are expensive with virtual
 * threads.
 */
final class CallMemory implements AutoCloseable {
    static final int BUFFER_BYTES = 256 << 10;
    /** The default of the largest batch of a topic, and a little more. */
    private static final int KEPT_BYTES_MAX = (1 << 20) + (64 << 10);

    private static final ArrayBlockingQueue<CallMemory> POOL = new ArrayBlockingQueue<>(16);

    final MemorySegment errno;
    final MemorySegment lock;
    private MemorySegment buffer;

    private CallMemory() {
        Arena arena = Arena.ofAuto();
        errno = arena.allocate(LinuxCalls.ERRNO_LAYOUT);
        lock = arena.allocate(32, 8);
    }

    static CallMemory take() {
        CallMemory pooled = POOL.poll();
        return pooled != null ? pooled : new CallMemory();
    }

    /**
     * A buffer of at least this many bytes. It is kept for the next call unless it is unusually large, because
     * allocating one costs more than a call.
     */
    MemorySegment buffer(long bytes) {
        if (bytes > KEPT_BYTES_MAX) {
            return Arena.ofAuto().allocate(bytes, 8);
        }
        if (buffer == null || buffer.byteSize() < bytes) {
            buffer = Arena.ofAuto().allocate(bytes <= BUFFER_BYTES ? BUFFER_BYTES : KEPT_BYTES_MAX, 8);
        }
        return buffer;
    }

    @Override
    public void close() {
        // If the pool is full, the garbage collector frees this one.
        var _ = POOL.offer(this);
    }
}
