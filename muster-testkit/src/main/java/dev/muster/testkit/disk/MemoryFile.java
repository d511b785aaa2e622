package dev.muster.testkit.disk;

import dev.muster.disk.DiskFile;
import dev.muster.disk.FileIdentity;
import dev.muster.disk.NoRoomException;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Path;

/** A file that a simulated process has open. */
final class MemoryFile implements DiskFile, Life.OpenThing {
    private final Life life;
    private final Path path;
    private final FileNode node;
    private final boolean forAppend;

    MemoryFile(Life life, Path path, FileNode node, boolean forAppend) {
        this.life = life;
        this.path = path;
        this.node = node;
        this.forAppend = forAppend;
    }

    @Override
    public int read(long position, byte[] into, int offset, int length) throws IOException {
        return call(() -> {
            int count = (int) Math.clamp(node.size - position, 0L, (long) length);
            if (count > 0) {
                System.arraycopy(node.bytes, (int) position, into, offset, count);
            }
            return count;
        });
    }

    @Override
    @SuppressWarnings("ThreadPriorityCheck") // other threads may look in between, nothing relies on it
    public long append(byte[] bytes, int offset, int length) throws IOException {
        if (!forAppend) {
            throw new IOException("not open for writing: " + path);
        }
        takeWriteTurn();
        try {
            for (int done = 0; done < length; ) {
                int from = offset + done;
                int left = length - done;
                done += call(() -> appendToPage(bytes, from, left));
                // A reader may see the file between any two pages of one write.
                Thread.yield();
            }
            return call(() -> (long) node.size);
        } finally {
            node.writeTurn.unlock();
        }
    }

    /** Waits without a queue, because a process that is killed while it waits must not keep its place in a queue. */
    @SuppressWarnings("ThreadPriorityCheck") // lets the current writer go on
    private void takeWriteTurn() throws IOException {
        while (!node.writeTurn.tryLock()) {
            call(() -> null);
            Thread.yield();
        }
    }

    /** Appends bytes up to the end of the current page, so that readers see a long write grow. */
    private int appendToPage(byte[] bytes, int offset, int length) throws IOException {
        int wanted = Math.min(length, FileNode.PAGE - node.size % FileNode.PAGE);
        int room = life.disk.room(wanted);
        int written = life.write(room);
        node.append(bytes, offset, written);
        if (written == room && room < wanted) {
            throw new NoRoomException("no room for " + path);
        }
        return wanted; // if the process died in this write, its next step fails
    }

    @Override
    public long size() throws IOException {
        return call(() -> (long) node.size);
    }

    @Override
    public FileIdentity identity() throws IOException {
        return call(node::identity);
    }

    @Override
    public void sync() throws IOException {
        call(() -> {
            if (life.disk.thisSyncFails()) {
                node.failSync();
                throw new IOException("Input/output error");
            }
            node.sync();
            return null;
        });
    }

    @Override
    public boolean tryLock() throws IOException {
        return call(() -> {
            if (node.lockedBy == null) {
                node.lockedBy = this;
            }
            return node.lockedBy == this;
        });
    }

    @Override
    public void unlock() throws IOException {
        call(() -> {
            releaseLock();
            return null;
        });
    }

    @Override
    public void close() {
        life.locked(() -> {
            if (life.closed(this)) {
                releaseLock();
            }
        });
    }

    @Override
    public void ownerDied() {
        releaseLock();
    }

    private void releaseLock() {
        if (node.lockedBy == this) {
            node.lockedBy = null;
        }
    }

    private <T> T call(Life.Step<T> step) throws IOException {
        return life.call(() -> {
            if (!life.isOpen(this)) {
                throw new ClosedChannelException();
            }
            return step.take();
        });
    }

    @Override
    public String toString() {
        return path.toString();
    }
}
