package dev.muster.disk.local;

import dev.muster.disk.DiskFile;
import dev.muster.disk.FileIdentity;
import dev.muster.disk.NoRoomException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/** A file descriptor that only this object uses: calls on it cannot be interrupted, and no other code can close it. */
final class NativeFile implements DiskFile {
    private final Path path;
    private final int fd;
    // close() waits for calls in progress, because the kernel gives the number of a closed descriptor to the next file.
    private final ReentrantReadWriteLock openLock = new ReentrantReadWriteLock();
    private boolean closed;

    NativeFile(Path path, int fd) {
        this.path = path;
        this.fd = fd;
    }

    @Override
    public int read(long position, byte[] into, int offset, int length) throws IOException {
        enter();
        try (CallMemory scratch = CallMemory.take()) {
            MemorySegment buffer = scratch.buffer(CallMemory.BUFFER_BYTES);
            int done = 0;
            while (done < length) {
                int wanted = Math.min(length - done, CallMemory.BUFFER_BYTES);
                long count = LinuxCalls.pread(scratch.errno, fd, buffer, wanted, position + done);
                if (count < 0) {
                    int errno = LinuxCalls.errno(scratch.errno);
                    if (errno == LinuxCalls.EINTR) {
                        continue;
                    }
                    throw NativeDisk.failure("read", path, errno);
                }
                MemorySegment.copy(buffer, ValueLayout.JAVA_BYTE, 0, into, offset + done, (int) count);
                done += (int) count;
                if (count < wanted) {
                    break;
                }
            }
            return done;
        } finally {
            leave();
        }
    }

    @Override
    public long append(byte[] bytes, int offset, int length) throws IOException {
        enter();
        try (CallMemory scratch = CallMemory.take()) {
            MemorySegment buffer = scratch.buffer(length);
            MemorySegment.copy(bytes, offset, buffer, ValueLayout.JAVA_BYTE, 0, length);
            long count;
            do {
                count = LinuxCalls.write(scratch.errno, fd, buffer, length);
            } while (count < 0 && LinuxCalls.errno(scratch.errno) == LinuxCalls.EINTR);
            if (count < 0) {
                throw NativeDisk.failure("write", path, LinuxCalls.errno(scratch.errno));
            }
            if (count < length) {
                // The kernel writes too few bytes only if the next byte would fail: the disk is full or a size limit is
                // reached.
                throw new NoRoomException("write " + path + ": only " + count + " of " + length + " bytes fit");
            }
            // On an O_APPEND descriptor the file position is right behind the bytes of this write.
            return LinuxCalls.lseek(scratch.errno, fd, 0, LinuxCalls.SEEK_CUR);
        } finally {
            leave();
        }
    }

    @Override
    public long size() throws IOException {
        enter();
        try (CallMemory scratch = CallMemory.take()) {
            long size = LinuxCalls.lseek(scratch.errno, fd, 0, LinuxCalls.SEEK_END);
            if (size < 0) {
                throw NativeDisk.failure("size", path, LinuxCalls.errno(scratch.errno));
            }
            return size;
        } finally {
            leave();
        }
    }

    @Override
    public FileIdentity identity() throws IOException {
        enter();
        try {
            return NativeDisk.identity(path, fd, "");
        } finally {
            leave();
        }
    }

    @Override
    public void sync() throws IOException {
        enter();
        try (CallMemory scratch = CallMemory.take()) {
            // Not repeated after a failure: the kernel reports a lost write once, and a second call would "succeed".
            if (LinuxCalls.fdatasync(scratch.errno, fd) != 0) {
                throw NativeDisk.failure("sync", path, LinuxCalls.errno(scratch.errno));
            }
        } finally {
            leave();
        }
    }

    @Override
    public boolean tryLock() throws IOException {
        int errno = lock(LinuxCalls.F_WRLCK);
        if (errno == 0) {
            return true;
        }
        if (errno == LinuxCalls.EAGAIN || errno == LinuxCalls.EACCES) {
            return false;
        }
        throw NativeDisk.failure("lock", path, errno);
    }

    /** True if another open file holds the lock. The check takes no lock, so it does not keep others from taking it. */
    boolean isLocked() throws IOException {
        enter();
        try (CallMemory scratch = CallMemory.take()) {
            scratch.lock.fill((byte) 0);
            scratch.lock.set(ValueLayout.JAVA_SHORT, 0, LinuxCalls.F_WRLCK);
            if (LinuxCalls.fcntl(scratch.errno, fd, LinuxCalls.F_OFD_GETLK, scratch.lock) != 0) {
                throw NativeDisk.failure("ask for the lock on", path, LinuxCalls.errno(scratch.errno));
            }
            return scratch.lock.get(ValueLayout.JAVA_SHORT, 0) != LinuxCalls.F_UNLCK;
        } finally {
            leave();
        }
    }

    /** Sets the mode again, because the umask may have removed bits that the folder grants. */
    void changeMode(int mode) {
        try (CallMemory scratch = CallMemory.take()) {
            int result = LinuxCalls.fchmod(scratch.errno, fd, mode);
            assert result == 0 || LinuxCalls.errno(scratch.errno) != 0;
        }
    }

    @Override
    public void unlock() throws IOException {
        int errno = lock(LinuxCalls.F_UNLCK);
        if (errno != 0) {
            throw NativeDisk.failure("unlock", path, errno);
        }
    }

    private int lock(short type) throws IOException {
        enter();
        try (CallMemory scratch = CallMemory.take()) {
            // struct flock: type, whence, (pad), start, length (0 = to the end), pid (must be 0)
            scratch.lock.fill((byte) 0);
            scratch.lock.set(ValueLayout.JAVA_SHORT, 0, type);
            int result = LinuxCalls.fcntl(scratch.errno, fd, LinuxCalls.F_OFD_SETLK, scratch.lock);
            return result == 0 ? 0 : LinuxCalls.errno(scratch.errno);
        } finally {
            leave();
        }
    }

    private void enter() throws IOException {
        openLock.readLock().lock();
        if (closed) {
            openLock.readLock().unlock();
            throw new IOException(path + " is closed");
        }
    }

    private void leave() {
        openLock.readLock().unlock();
    }

    @Override
    public void close() {
        openLock.writeLock().lock();
        try (CallMemory scratch = CallMemory.take()) {
            if (!closed) {
                closed = true;
                int result = LinuxCalls.close(scratch.errno, fd);
                assert result == 0 : "close " + path;
            }
        } finally {
            openLock.writeLock().unlock();
        }
    }

    @Override
    public String toString() {
        return path.toString();
    }
}
