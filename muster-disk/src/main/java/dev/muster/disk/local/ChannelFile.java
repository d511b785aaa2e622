package dev.muster.disk.local;

import dev.muster.disk.DiskFile;
import dev.muster.disk.FileIdentity;
import dev.muster.disk.NoRoomException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The channels of one file, shared by all its users in this process. They are closed together when the last user closes
 * its handle.
 */
final class ChannelFile {
    private final Path path;
    private final ChannelDisk disk;
    private int users;
    private volatile boolean closed;
    // Java forbids one channel for both reading and appending. Both stay open, because closing one would drop the
    // other's lock.
    private volatile FileChannel reading;
    private volatile FileChannel appending;
    private volatile FileIdentity identity;
    private FileLock lock;
    private Handle lockHolder;

    ChannelFile(Path path, ChannelDisk disk) {
        this.path = path;
        this.disk = disk;
    }

    Path path() {
        return path;
    }

    /** The identity of the open file. */
    FileIdentity identity() {
        return identity;
    }

    /** Opens the channels that are not open yet. Called under the disk's monitor. */
    void open(boolean append) throws IOException {
        Uninterrupted.call(() -> {
            if (append && appending == null) {
                boolean created = !Files.exists(path);
                appending = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
                int mode = LocalDisk.fileMode(path);
                if (created && mode >= 0) {
                    Files.setAttribute(path, "unix:mode", mode);
                }
            }
            if (reading == null) {
                reading = FileChannel.open(path, StandardOpenOption.READ);
                // A channel does not report its file, so this is the identity that the path has right after the open.
                identity = disk.identity(path);
            }
            return null;
        });
    }

    /** Called under the disk's monitor. */
    Handle newHandle() {
        users++;
        return new Handle();
    }

    /**
     * Removes a user. Called under the disk's monitor.
     *
     * @return true if that was the last user and the channels are closed
     */
    boolean dropUser() {
        if (--users > 0) {
            return false;
        }
        closed = true;
        closeQuietly(reading);
        closeQuietly(appending);
        return true;
    }

    private static void closeQuietly(FileChannel channel) {
        if (channel != null) {
            try {
                channel.close();
            } catch (IOException e) {
                // Unsynced bytes were never promised to be safe, and synced bytes are safe.
                assert !channel.isOpen() : e;
            }
        }
    }

    private interface ChannelCall<T> {
        T run() throws IOException;
    }

    /**
     * Runs a call. An interrupt during the call closes the channel: then the channel is opened again, and the call is
     * repeated if that is harmless.
     */
    private <T> T call(boolean repeatable, ChannelCall<T> call) throws IOException {
        boolean interrupted = Thread.interrupted();
        try {
            while (true) {
                try {
                    return call.run();
                } catch (ClosedChannelException e) {
                    // An interrupt of this thread closed it, or of another thread during its call.
                    interrupted |= Thread.interrupted();
                    reopen();
                    if (!repeatable) {
                        throw new IOException("interrupted in the middle of a write to " + path, e);
                    }
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private synchronized void reopen() throws IOException {
        if (closed) {
            throw new IOException(path + " is closed");
        }
        boolean appends = appending != null;
        if (reading.isOpen() && (!appends || appending.isOpen())) {
            return;
        }
        // Closing one channel drops the lock that the other holds, so both are closed.
        closeQuietly(reading);
        closeQuietly(appending);
        lock = null;
        lockHolder = null;
        reading = FileChannel.open(path, StandardOpenOption.READ);
        if (appends) {
            appending = FileChannel.open(path, StandardOpenOption.APPEND);
        }
    }

    /** The handle of one user of the file. */
    final class Handle implements DiskFile {
        private boolean released;

        @Override
        public int read(long position, byte[] into, int offset, int length) throws IOException {
            return call(true, () -> {
                ByteBuffer buffer = ByteBuffer.wrap(into, offset, length);
                while (buffer.hasRemaining()) {
                    int count = reading.read(buffer, position + buffer.position() - offset);
                    if (count <= 0) {
                        break;
                    }
                }
                return buffer.position() - offset;
            });
        }

        @Override
        public long append(byte[] bytes, int offset, int length) throws IOException {
            return call(false, () -> {
                int count;
                try {
                    count = appending.write(ByteBuffer.wrap(bytes, offset, length));
                } catch (ClosedChannelException e) {
                    throw e;
                } catch (IOException e) {
                    throw NoRoomException.orSame(e);
                }
                if (count < length) {
                    throw new NoRoomException("write " + path + ": only " + count + " of " + length + " bytes fit");
                }
                return appending.size();
            });
        }

        @Override
        public long size() throws IOException {
            return call(true, () -> reading.size());
        }

        @Override
        public FileIdentity identity() {
            return identity;
        }

        @Override
        public void sync() throws IOException {
            call(true, () -> {
                FileChannel channel = appending != null ? appending : reading;
                channel.force(false);
                return null;
            });
        }

        @Override
        public boolean tryLock() throws IOException {
            synchronized (ChannelFile.this) {
                if (lock != null && lock.isValid()) {
                    return false;
                }
                return call(true, () -> {
                    try {
                        lock = appending.tryLock();
                    } catch (OverlappingFileLockException e) {
                        lock = null;
                    }
                    lockHolder = lock == null ? null : this;
                    return lock != null;
                });
            }
        }

        /**
         * True if the lock is held. The check takes a shared lock for a moment, which several checks can hold at once.
         */
        boolean isLocked() throws IOException {
            synchronized (ChannelFile.this) {
                if (lock != null && lock.isValid()) {
                    return true;
                }
                return call(true, () -> {
                    try (FileLock shared = reading.tryLock(0, Long.MAX_VALUE, true)) {
                        return shared == null;
                    } catch (OverlappingFileLockException e) {
                        return true;
                    }
                });
            }
        }

        @Override
        public void unlock() throws IOException {
            synchronized (ChannelFile.this) {
                if (lockHolder == this) {
                    lockHolder = null;
                    FileLock held = lock;
                    lock = null;
                    if (held.isValid()) {
                        held.release();
                    }
                }
            }
        }

        @Override
        public void close() {
            if (!released) {
                released = true;
                try {
                    unlock();
                } catch (IOException e) {
                    // Closing the channel frees the lock.
                    assert released : e;
                }
                disk.release(ChannelFile.this);
            }
        }

        @Override
        public String toString() {
            return path.toString();
        }
    }
}
