package dev.muster.disk.local;

import dev.muster.disk.Bells;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Bells made of FIFOs. The owner of a bell keeps the writing end of its FIFO open for life, and one {@code poll} waits
 * for the ends of all. An {@code eventfd} ends the wait when the set of bells changes.
 */
final class NativeBells implements Bells {
    private static final int POLLFD_BYTES = 8;
    private static final Path WAKE_UP = Path.of("eventfd");

    private final Map<Path, Integer> watched = new LinkedHashMap<>();
    // Descriptors to close after the poll. A descriptor must not be closed while poll waits for it, because the kernel
    // gives its number to the next file.
    private final List<Integer> forgotten = new ArrayList<>();
    private final int wakeFd;
    private boolean awaiting;
    private boolean closed;

    NativeBells() throws IOException {
        try (CallMemory scratch = CallMemory.take()) {
            wakeFd = LinuxCalls.eventfd(scratch.errno, 0, LinuxCalls.O_NONBLOCK | LinuxCalls.O_CLOEXEC);
            if (wakeFd < 0) {
                throw NativeDisk.failure("make", WAKE_UP, LinuxCalls.errno(scratch.errno));
            }
        }
    }

    @Override
    public synchronized boolean watch(Path bell) throws IOException {
        checkOpen();
        if (watched.containsKey(bell)) {
            return true;
        }
        try {
            int flags = LinuxCalls.O_RDONLY | LinuxCalls.O_NONBLOCK | LinuxCalls.O_CLOEXEC;
            watched.put(bell, NativeDisk.open(bell, flags, 0));
        } catch (NoSuchFileException e) {
            return false;
        }
        wakeUp();
        return true;
    }

    @Override
    public synchronized void forget(Path bell) {
        Integer fd = watched.remove(bell);
        if (fd != null) {
            closeWhenUnused(fd);
        }
    }

    private void closeWhenUnused(int fd) {
        if (awaiting) {
            forgotten.add(fd);
            wakeUp();
        } else {
            close(fd);
        }
    }

    @Override
    public List<Path> await(long timeoutNanos) throws IOException {
        Map<Path, Integer> set;
        synchronized (this) {
            checkOpen();
            set = new LinkedHashMap<>(watched);
            awaiting = true;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment polled = arena.allocate((long) POLLFD_BYTES * (set.size() + 1), 8);
            int i = 0;
            for (int fd : set.values()) {
                // No events are requested: poll always reports that the last writer has closed.
                put(polled, i++, fd, (short) 0);
            }
            put(polled, i, wakeFd, LinuxCalls.POLLIN);
            poll(polled, i + 1, timeoutNanos);
            return rung(set, polled);
        } finally {
            closeForgotten();
        }
    }

    private static void put(MemorySegment polled, int i, int fd, short events) {
        long at = (long) i * POLLFD_BYTES;
        polled.set(ValueLayout.JAVA_INT, at, fd);
        polled.set(ValueLayout.JAVA_SHORT, at + 4, events);
        polled.set(ValueLayout.JAVA_SHORT, at + 6, (short) 0);
    }

    private static void poll(MemorySegment polled, int count, long timeoutNanos) throws IOException {
        // Rounded up: a wait that ends too early would be repeated at once, over and over.
        long millis = Math.clamp(Math.ceilDiv(timeoutNanos, 1_000_000L), 0L, Integer.MAX_VALUE);
        // Not from the pool: this wait may take hours, and other threads need the pooled memory.
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = arena.allocate(LinuxCalls.ERRNO_LAYOUT);
            if (LinuxCalls.poll(errno, polled, count, (int) millis) < 0
                    && LinuxCalls.errno(errno) != LinuxCalls.EINTR) {
                throw NativeDisk.failure("poll", WAKE_UP, LinuxCalls.errno(errno));
            }
        }
    }

    private synchronized List<Path> rung(Map<Path, Integer> set, MemorySegment polled) {
        List<Path> rung = new ArrayList<>();
        int i = 0;
        for (Map.Entry<Path, Integer> entry : set.entrySet()) {
            short events = polled.get(ValueLayout.JAVA_SHORT, (long) i++ * POLLFD_BYTES + 6);
            if (events != 0 && watched.remove(entry.getKey(), entry.getValue())) {
                forgotten.add(entry.getValue());
                rung.add(entry.getKey());
            }
        }
        return rung;
    }

    private synchronized void closeForgotten() {
        awaiting = false;
        try (CallMemory scratch = CallMemory.take()) {
            long count = LinuxCalls.read(scratch.errno, wakeFd, scratch.buffer(Long.BYTES), Long.BYTES);
            assert count == Long.BYTES || LinuxCalls.errno(scratch.errno) == LinuxCalls.EAGAIN;
        }
        forgotten.forEach(NativeBells::close);
        forgotten.clear();
        if (closed) {
            closeAll();
        }
    }

    @Override
    public synchronized void wakeUp() {
        if (closed && !awaiting) {
            return;
        }
        try (CallMemory scratch = CallMemory.take()) {
            MemorySegment one = scratch.buffer(Long.BYTES);
            one.set(ValueLayout.JAVA_LONG, 0, 1L);
            long count = LinuxCalls.write(scratch.errno, wakeFd, one, Long.BYTES);
            assert count == Long.BYTES || LinuxCalls.errno(scratch.errno) == LinuxCalls.EAGAIN;
        }
    }

    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        if (awaiting) {
            wakeUp();
        } else {
            closeAll();
        }
    }

    private void closeAll() {
        watched.values().forEach(NativeBells::close);
        watched.clear();
        close(wakeFd);
    }

    private static void close(int fd) {
        try (CallMemory scratch = CallMemory.take()) {
            int result = LinuxCalls.close(scratch.errno, fd);
            assert result == 0 : "close";
        }
    }

    private void checkOpen() throws IOException {
        if (closed) {
            throw new IOException("the bells are closed");
        }
    }
}
