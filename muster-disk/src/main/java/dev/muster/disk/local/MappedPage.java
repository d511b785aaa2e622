package dev.muster.disk.local;

import dev.muster.disk.FileIdentity;
import dev.muster.disk.Page;
import dev.muster.disk.PageStamp;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A page mapped from a file. The mapping lives until no object refers to it.
 *
 * <p>Another process may truncate the file. Then an access faults, and the JVM throws an {@link InternalError}; in
 * compiled code it does so only at the next safepoint. So each access is followed by a check of the {@link PageStamp},
 * which a truncation clears. If the stamp is wrong, a native call makes the JVM throw the error here. The words of a
 * truncated page read as 0.
 *
 * <p>A compare-and-set that is not compiled yet runs in native code of the JVM, where a fault ends the process. So the
 * stamp is also checked before each compare-and-set, because a read is safe.
 */
final class MappedPage implements Page {
    /** The way in which threads wait for words in a mapped page and wake each other. */
    public interface Waiting {
        void awaitChange(MemorySegment page, int[] offsets, int[] expected, long timeoutNanos);

        void wakeAll(MemorySegment page, int offset);
    }

    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();
    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();

    private final MemorySegment memory;
    private final FileIdentity identity;
    private final boolean writable;
    private final Waiting waiting;
    /** The expected first word of the stamp; 0 for a page that had no stamp when it was mapped. */
    private final long stamp;

    private MappedPage(MemorySegment memory, FileIdentity identity, boolean writable, Waiting waiting) {
        this.memory = memory;
        this.identity = identity;
        this.writable = writable;
        this.waiting = waiting;
        this.stamp =
                memory.byteSize() == PageStamp.PAGE_BYTES && identity != null && stampOf(memory) == identity.inode()
                        ? identity.inode()
                        : 0;
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

    private static long stampOf(MemorySegment memory) {
        return (long) LONG.getVolatile(memory, (long) PageStamp.AT);
    }

    /** True if the page was truncated. It catches the error of an access that faulted. */
    @SuppressWarnings("ThreadPriorityCheck") // The call is not made for the scheduler.
    private boolean isTruncated() {
        if (stamp == 0 || stampOf(memory) == stamp) {
            return false;
        }
        try {
            // Any native call will do: the JVM throws a pending error at its end.
            Thread.yield();
        } catch (InternalError e) {
            return true;
        }
        return true;
    }

    @Override
    public long get(int offset) {
        try {
            long value = (long) LONG.getVolatile(memory, (long) offset);
            return isTruncated() ? 0 : value;
        } catch (InternalError e) {
            return 0;
        }
    }

    @Override
    public void set(int offset, long value) {
        try {
            LONG.setVolatile(memory, (long) offset, value);
            boolean _ = isTruncated();
        } catch (InternalError e) {
            // The word does not exist any more.
        }
    }

    @Override
    public boolean compareAndSet(int offset, long expected, long value) {
        try {
            if (isTruncated()) {
                return true;
            }
            boolean set = LONG.compareAndSet(memory, (long) offset, expected, value);
            // True, so that a caller that repeats the call until it succeeds comes to an end.
            return isTruncated() || set;
        } catch (InternalError e) {
            return true;
        }
    }

    @Override
    public int getInt(int offset) {
        try {
            int value = (int) INT.getVolatile(memory, (long) offset);
            return isTruncated() ? 0 : value;
        } catch (InternalError e) {
            return 0;
        }
    }

    @Override
    public int getAndAddInt(int offset, int delta) {
        try {
            if (isTruncated()) {
                return 0;
            }
            int before = (int) INT.getAndAdd(memory, (long) offset, delta);
            return isTruncated() ? 0 : before;
        } catch (InternalError e) {
            return 0;
        }
    }

    @Override
    public int getAndSetInt(int offset, int value) {
        try {
            if (isTruncated()) {
                return 0;
            }
            int before = (int) INT.getAndSet(memory, (long) offset, value);
            return isTruncated() ? 0 : before;
        } catch (InternalError e) {
            return 0;
        }
    }

    @Override
    public void awaitChange(int[] offsets, int[] expected, long timeoutNanos) {
        try {
            waiting.awaitChange(memory, offsets, expected, timeoutNanos);
            boolean _ = isTruncated();
        } catch (InternalError e) {
            // The caller reads the words again.
        }
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
        // The mapping ends with the last reference to it; see the class comment.
    }
}
