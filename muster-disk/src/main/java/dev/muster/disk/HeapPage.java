package dev.muster.disk;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.locks.LockSupport;

/** A page that no other process sees. A process uses it if it may not write to the directory. */
public final class HeapPage implements Page {
    private static final long PAUSE_NANOS = 1_000_000;
    private static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());
    private static final VarHandle INT = MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.nativeOrder());

    // Direct memory, because words are guaranteed to be aligned only there.
    private final ByteBuffer words;

    public HeapPage(byte[] content) {
        words = ByteBuffer.allocateDirect(content.length + Long.BYTES)
                .alignedSlice(Long.BYTES)
                .order(ByteOrder.nativeOrder());
        words.put(0, content);
    }

    @Override
    public int size() {
        return words.capacity();
    }

    @Override
    public long get(int offset) {
        return (long) LONG.getVolatile(words, offset);
    }

    @Override
    public void set(int offset, long value) {
        LONG.setVolatile(words, offset, value);
    }

    @Override
    public boolean compareAndSet(int offset, long expected, long value) {
        return LONG.compareAndSet(words, offset, expected, value);
    }

    @Override
    public int getInt(int offset) {
        return (int) INT.getVolatile(words, offset);
    }

    @Override
    public int getAndAddInt(int offset, int delta) {
        return (int) INT.getAndAdd(words, offset, delta);
    }

    @Override
    public int getAndSetInt(int offset, int value) {
        return (int) INT.getAndSet(words, offset, value);
    }

    @Override
    public void awaitChange(int[] offsets, int[] expected, long timeoutNanos) {
        LockSupport.parkNanos(Math.min(timeoutNanos, PAUSE_NANOS));
    }

    @Override
    public void wakeAll(int offset) {
        // awaitChange returns after a millisecond at the latest.
    }

    @Override
    public FileIdentity identity() {
        return null;
    }

    @Override
    public boolean writable() {
        return true;
    }

    @Override
    public void close() {
        // There is nothing to close.
    }
}
