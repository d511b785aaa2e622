package dev.muster.store.memory;

import dev.muster.store.PartitionAppender;
import dev.muster.store.PartitionLog;
import dev.muster.store.PendingAppend;
import dev.muster.store.batch.EncodedBatch;
import dev.muster.store.watch.Registration;

/** Appends to a log in memory. Any number of appenders may be open at once, and none is ever lost. */
final class MemoryAppender implements PartitionAppender {
    /** Any offset will do. */
    static final long ANYWHERE = -1;

    private final MemoryLog log;
    private volatile boolean closed;

    MemoryAppender(MemoryLog log) {
        this.log = log;
    }

    @Override
    public PartitionLog log() {
        return log;
    }

    @Override
    public boolean isHeld() {
        return !closed;
    }

    @Override
    public Registration onLost(Runnable lost) {
        return () -> {};
    }

    @Override
    public PendingAppend append(EncodedBatch batch) {
        return begin(batch, ANYWHERE);
    }

    @Override
    public PendingAppend appendAt(long offset, EncodedBatch batch) {
        if (offset < 0) {
            throw new IllegalArgumentException("no offset: " + offset);
        }
        return begin(batch, offset);
    }

    private PendingAppend begin(EncodedBatch batch, long wanted) {
        if (closed) {
            throw new IllegalStateException("this appender is closed");
        }
        try {
            return PendingAppend.placed(log, log.append(batch, wanted));
        } catch (RuntimeException | Error e) {
            return PendingAppend.failed(e);
        }
    }

    @Override
    public void close() {
        closed = true;
    }
}
