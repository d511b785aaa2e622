package dev.muster.store.file.disk;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A page mapped from a file. The mapping lives until nobody refers to it: a thread that still reads it cannot fault.
 */
final class MappedPage implements Page {
    /** How a thread waits for words in a mapped page, and wakes those that do. */
    interface Waiting {
        void awaitChange(MemorySegment page, int[] offsets, int[] expected, long timeoutNanos);

        void wakeAll(MemorySegment page, int offset);
    }

    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();
    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();

    private final MemorySegment memory;
    private final FileIdentity identity;
    private final boolean writable;
    private final Waiting waiting;

    private MappedPage(MemorySegment memory, FileIdentity identity, boolean writable, Waiting waiting) {
        this.memory = memory;
        this.identity = identity;
        this.writable = writable;
        this.waiting = waiting;
    }

    static MappedPage map(Path file, FileIdentity identity, boolean writable, Waiting waiting) throws IOException {
        return Uninterrupted.call(() -> {
            var options = writable
                    ? new StandardOpenOption[] {StandardOpenOption.READ, StandardOpenOption.WRITE}
                    : new StandardOpenOption[] {StandardOpenOption.READ};
            try (FileChannel channel = FileChannel.open(file, options)) {
                var mode = writable ? FileChannel.MapMode.READ_WRITE : FileChannel.MapMode.READ_ONLY;
                MemorySegment memory = channel.map(mode, 0, channel.size(), Arena.ofAuto());
                return new MappedPage(memory, identity, writable, waiting);
            }
        });
    }

    @Override
    public int size() {
        return (int) memory.byteSize();
    }

    @Override
    public long get(int offset) {
        return (long) LONG.getVolatile(memory, (long) offset);
    }

    @Override
    public void set(int offset, long value) {
        LONG.setVolatile(memory, (long) offset, value);
    }

    @Override
    public boolean compareAndSet(int offset, long expected, long value) {
        return LONG.compareAndSet(memory, (long) offset, expected, value);
    }

    @Override
    public int getInt(int offset) {
        return (int) INT.getVolatile(memory, (long) offset);
    }

    @Override
    public int getAndAddInt(int offset, int delta) {
        return (int) INT.getAndAdd(memory, (long) offset, delta);
    }

    @Override
    public int getAndSetInt(int offset, int value) {
        return (int) INT.getAndSet(memory, (long) offset, value);
    }

    @Override
    public void awaitChange(int[] offsets, int[] expected, long timeoutNanos) {
        waiting.awaitChange(memory, offsets, expected, timeoutNanos);
    }

    @Override
    public void wakeAll(int offset) {
        waiting.wakeAll(memory, offset);
    }

    @Override
    public FileIdentity identity() {
        return identity;
    }

    @Override
    public boolean writable() {
        return writable;
    }

    @Override
    public void close() {
        // The mapping goes with the last reference to it; see the class comment.
    }
}
