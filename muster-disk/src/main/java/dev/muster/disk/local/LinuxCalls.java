package dev.muster.disk.local;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.muster.disk.FileIdentity;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.util.Locale;

/**
 * The few system calls that Java lacks or makes interruptible, on Linux x86-64 and aarch64. The first parameter of each
 * is a place for {@code errno}. Loading this class fails if native access is denied; {@link NativeDisk#available}
 * checks that.
 */
final class LinuxCalls {
    static final int ENOENT = 2;
    static final int EINTR = 4;
    static final int EAGAIN = 11;
    static final int EACCES = 13;
    static final int EEXIST = 17;
    static final int EINVAL = 22;
    static final int EFBIG = 27;
    static final int ENOSPC = 28;
    static final int EROFS = 30;
    static final int ENOSYS = 38;
    static final int EDQUOT = 122;

    static final int O_RDONLY = 0;
    static final int O_RDWR = 2;
    static final int O_CREAT = 0x40;
    static final int O_EXCL = 0x80;
    static final int O_APPEND = 0x400;
    static final int O_NONBLOCK = 0x800;
    static final int O_CLOEXEC = 0x80000;

    static final int SEEK_CUR = 1;
    static final int SEEK_END = 2;

    /**
     * Locks of the open file description. Unlike {@code flock} locks they conflict with the locks that
     * {@code FileChannel} takes. So processes with and without native access exclude each other.
     */
    static final int F_OFD_SETLK = 37;

    /** Checks whether a lock is free, without taking it. */
    static final int F_OFD_GETLK = 36;

    static final short F_WRLCK = 1;
    static final short F_UNLCK = 2;

    static final short POLLIN = 1;

    private static final int FUTEX_WAKE = 1;
    private static final int FUTEX2_SIZE_U32 = 2;
    private static final int CLOCK_MONOTONIC = 1;
    private static final int FUTEX_WAITER_BYTES = 24;
    private static final long SYS_FUTEX_WAITV = 449;
    private static final long SYS_FUTEX = switch (System.getProperty("os.arch").toLowerCase(Locale.ROOT)) {
        case "amd64", "x86_64" -> 202;
        case "aarch64", "arm64" -> 98;
        default -> throw new UnsupportedOperationException("no system call numbers for this processor");
    };

    private static final long SYS_RENAMEAT2 = SYS_FUTEX == 202 ? 316 : 276;
    private static final long SYS_STATX = SYS_FUTEX == 202 ? 332 : 291;
    static final long AT_FDCWD = -100;
    private static final long AT_EMPTY_PATH = 0x1000;
    private static final long STATX_INO = 0x100;
    private static final long STATX_BTIME = 0x800;

    /** The number of bytes that {@link #statx} writes. */
    static final int STATX_BYTES = 256;

    private static final long RENAME_NOREPLACE = 1;

    private static final Linker LINKER = Linker.nativeLinker();
    static final StructLayout ERRNO_LAYOUT = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO = ERRNO_LAYOUT.varHandle(MemoryLayout.PathElement.groupElement("errno"));

    private static final MethodHandle OPEN =
            call("open", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT), 2);
    private static final MethodHandle CLOSE = call("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT), -1);
    private static final MethodHandle PREAD =
            call("pread", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_LONG), -1);
    private static final MethodHandle WRITE =
            call("write", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG), -1);
    private static final MethodHandle LSEEK =
            call("lseek", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_INT), -1);
    private static final MethodHandle FDATASYNC = call("fdatasync", FunctionDescriptor.of(JAVA_INT, JAVA_INT), -1);
    private static final MethodHandle FSYNC = call("fsync", FunctionDescriptor.of(JAVA_INT, JAVA_INT), -1);
    private static final MethodHandle FCHMOD = call("fchmod", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT), -1);
    private static final MethodHandle FCNTL =
            call("fcntl", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS), 2);
    private static final MethodHandle MKFIFO = call("mkfifo", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT), -1);
    private static final MethodHandle EVENTFD =
            call("eventfd", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT), -1);
    private static final MethodHandle POLL =
            call("poll", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT), -1);
    private static final MethodHandle READ =
            call("read", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG), -1);
    private static final MethodHandle FUTEX =
            call("syscall", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, ADDRESS, JAVA_LONG, JAVA_LONG, ADDRESS), 1);
    private static final MethodHandle FUTEX_WAITV = call(
            "syscall",
            FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, ADDRESS, JAVA_LONG, JAVA_LONG, ADDRESS, JAVA_LONG),
            1);

    private static final MethodHandle RENAMEAT2 = call(
            "syscall",
            FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, ADDRESS, JAVA_LONG, ADDRESS, JAVA_LONG),
            1);

    private static final MethodHandle STATX = call(
            "syscall",
            FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, ADDRESS, JAVA_LONG, JAVA_LONG, ADDRESS),
            1);

    private LinuxCalls() {}

    private static MethodHandle call(String name, FunctionDescriptor shape, int firstVariadic) {
        var errno = Linker.Option.captureCallState("errno");
        var function = LINKER.defaultLookup().find(name).orElseThrow();
        return firstVariadic < 0
                ? LINKER.downcallHandle(function, shape, errno)
                : LINKER.downcallHandle(function, shape, errno, Linker.Option.firstVariadicArg(firstVariadic));
    }

    static int errno(MemorySegment state) {
        return (int) ERRNO.get(state, 0L);
    }

    static int open(MemorySegment state, MemorySegment path, int flags, int mode) {
        try {
            return (int) OPEN.invokeExact(state, path, flags, mode);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    static int close(MemorySegment state, int fd) {
        try {
            return (int) CLOSE.invokeExact(state, fd);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    static long pread(MemorySegment state, int fd, MemorySegment into, long length, long position) {
        try {
            return (long) PREAD.invokeExact(state, fd, into, length, position);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    static long write(MemorySegment state, int fd, MemorySegment from, long length) {
        try {
            return (long) WRITE.invokeExact(state, fd, from, length);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    static long lseek(MemorySegment state, int fd, long offset, int whence) {
        try {
            return (long) LSEEK.invokeExact(state, fd, offset, whence);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    static int fdatasync(MemorySegment state, int fd) {
        try {
            return (int) FDATASYNC.invokeExact(state, fd);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    static int fsync(MemorySegment state, int fd) {
        try {
            return (int) FSYNC.invokeExact(state, fd);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    static int fchmod(MemorySegment state, int fd, int mode) {
        try {
            return (int) FCHMOD.invokeExact(state, fd, mode);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    static int fcntl(MemorySegment state, int fd, int command, MemorySegment argument) {
        try {
            return (int) FCNTL.invokeExact(state, fd, command, argument);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /** Renames a file, but never replaces another one. */
    static boolean renameToNewName(MemorySegment state, MemorySegment from, MemorySegment to) {
        try {
            return (long) RENAMEAT2.invokeExact(state, SYS_RENAMEAT2, AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE)
                    == 0;
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /**
     * Looks up the inode and the time of birth of the file with this path, or of the descriptor if the path is empty.
     */
    static boolean statx(MemorySegment state, long fd, MemorySegment path, MemorySegment into) {
        try {
            return (long) STATX.invokeExact(state, SYS_STATX, fd, path, AT_EMPTY_PATH, STATX_INO | STATX_BTIME, into)
                    == 0;
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /** The identity that {@link #statx} found. */
    static FileIdentity identity(MemorySegment found) {
        long device = Integer.toUnsignedLong(found.get(JAVA_INT, 136)) << 32
                | Integer.toUnsignedLong(found.get(JAVA_INT, 140));
        boolean birthKnown = (found.get(JAVA_INT, 0) & STATX_BTIME) != 0;
        long born = birthKnown ? found.get(JAVA_LONG, 80) * 1_000_000_000L + found.get(JAVA_INT, 88) : 0;
        return new FileIdentity(device, found.get(JAVA_LONG, 32), born);
    }

    static int mkfifo(MemorySegment state, MemorySegment path, int mode) {
        try {
            return (int) MKFIFO.invokeExact(state, path, mode);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    static int eventfd(MemorySegment state, int count, int flags) {
        try {
            return (int) EVENTFD.invokeExact(state, count, flags);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    static int poll(MemorySegment state, MemorySegment descriptors, long count, int timeoutMs) {
        try {
            return (int) POLL.invokeExact(state, descriptors, count, timeoutMs);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    static long read(MemorySegment state, int fd, MemorySegment into, long length) {
        try {
            return (long) READ.invokeExact(state, fd, into, length);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /** Wakes every thread of any process that waits for the word. */
    static void futexWakeAll(MemorySegment state, MemorySegment word) {
        try {
            long woken = (long) FUTEX.invokeExact(
                    state, SYS_FUTEX, word, (long) FUTEX_WAKE, (long) Integer.MAX_VALUE, MemorySegment.NULL);
            assert woken >= 0 || errno(state) != 0;
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /** The number of bytes that {@link #futexWaitAny} needs for this many words. */
    static long waitersBytes(int words) {
        return (long) words * FUTEX_WAITER_BYTES + 16;
    }

    /**
     * Waits until one of the words differs from its expected value, a thread wakes it, or the deadline (by
     * {@code System.nanoTime}) is reached.
     *
     * @return false if the kernel does not know this call
     */
    static boolean futexWaitAny(
            MemorySegment state,
            MemorySegment waiters,
            MemorySegment page,
            int[] offsets,
            int[] expected,
            long deadlineNanos) {
        for (int i = 0; i < offsets.length; i++) {
            long at = (long) i * FUTEX_WAITER_BYTES;
            waiters.set(ValueLayout.JAVA_LONG, at, Integer.toUnsignedLong(expected[i]));
            waiters.set(ValueLayout.JAVA_LONG, at + 8, page.address() + offsets[i]);
            waiters.set(ValueLayout.JAVA_INT, at + 16, FUTEX2_SIZE_U32);
            waiters.set(ValueLayout.JAVA_INT, at + 20, 0);
        }
        long timeAt = (long) offsets.length * FUTEX_WAITER_BYTES;
        waiters.set(ValueLayout.JAVA_LONG, timeAt, Math.floorDiv(deadlineNanos, 1_000_000_000L));
        waiters.set(ValueLayout.JAVA_LONG, timeAt + 8, Math.floorMod(deadlineNanos, 1_000_000_000L));
        try {
            long result = (long) FUTEX_WAITV.invokeExact(
                    state, SYS_FUTEX_WAITV, waiters, (long) offsets.length, 0L, waiters.asSlice(timeAt, 16), (long)
                            CLOCK_MONOTONIC);
            return result >= 0 || errno(state) != ENOSYS;
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }
}
