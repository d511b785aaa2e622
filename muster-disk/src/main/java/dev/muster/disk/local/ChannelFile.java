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

/** The channels of one file, shared by all users in this process; closed together when the last one lets go. */
final class ChannelFile {
    private final Path path;
    private final ChannelDisk disk;
    private int users;
    private volatile boolean closed;
    // Java forbids one channel for reading and appending. Both stay open: closing one would drop the other's lock.
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

    /** The file that is open here. */
    FileIdentity identity() {
        return identity;
    }

    /** Opens what is not open yet. Called under the disk's monitor. */
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
                // A channel does not tell which file it has: the one that had the name right then.
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

    /** Called under the disk's monitor; true when that was the last user and the channels are closed. */
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
                // Nothing was promised about unsynced bytes, and synced ones are safe.
                assert !channel.isOpen() : e;
            }
        }
    }

    private interface ChannelCall<T> {
        T run() throws IOException;
    }

    /**
     * An interrupt that arrives in mid-call closes the channel: open it again, and look again where that is harmless.
     */
    private <T> T call(boolean repeatable, ChannelCall<T> call) throws IOException {
        boolean interrupted = Thread.interrupted();
        try {
            while (true) {
                try {
                    return call.run();
                } catch (ClosedChannelException e) {
                    // By our own interrupt, or by that of another thread in the middle of its call.
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
        // Closing one channel drops the lock that another one holds: both go.
        closeQuietly(reading);
        closeQuietly(appending);
        lock = null;
        lockHolder = null;
        reading = FileChannel.open(path, StandardOpenOption.READ);
        if (appends) {
            appending = FileChannel.open(path, StandardOpenOption.APPEND);
        }
    }

    /** One user's share of the file. */
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

        /** Whether the lock is held. Asks by taking it together with all others who ask, for a moment. */
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
                    // The lock goes with the channel.
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
