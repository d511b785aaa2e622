package dev.muster.testkit.forward;

import dev.muster.store.PartitionAppender;
import dev.muster.store.PartitionLog;
import dev.muster.store.PendingAppend;
import dev.muster.store.batch.EncodedBatch;
import dev.muster.store.watch.Registration;

/** An appender that passes every call on to another appender. */
public class ForwardingAppender implements PartitionAppender {
    private final PartitionLog log;
    private final PartitionAppender target;

    /** @param log the log that {@link #log} returns */
    public ForwardingAppender(PartitionLog log, PartitionAppender target) {
        this.log = log;
        this.target = target;
    }

    protected PartitionAppender target() {
        return target;
    }

    @Override
    public PartitionLog log() {
        return log;
    }

    @Override
    public boolean isHeld() {
        return target.isHeld();
    }

    @Override
    public Registration onLost(Runnable lost) {
        return target.onLost(lost);
    }

    @Override
    public PendingAppend append(EncodedBatch batch) {
        return target.append(batch);
    }

    @Override
    public PendingAppend appendAt(long offset, EncodedBatch batch) {
        return target.appendAt(offset, batch);
    }

    @Override
    public void close() {
        target.close();
    }
}
