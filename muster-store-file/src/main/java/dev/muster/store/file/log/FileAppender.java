package dev.muster.store.file.log;

import dev.muster.store.AppendConflictException;
import dev.muster.store.AppendPlace;
import dev.muster.store.PartitionAppender;
import dev.muster.store.PartitionLog;
import dev.muster.store.PendingAppend;
import dev.muster.store.batch.EncodedBatch;
import dev.muster.store.watch.Registration;

/**
 * Appends to a partition in a directory. Every process that can write to the directory holds this right, so one
 * instance serves all callers, is never lost, and needs no close. A file lock keeps batches apart.
 */
final class FileAppender implements PartitionAppender {
    private final FilePartition partition;

    FileAppender(FilePartition partition) {
        this.partition = partition;
    }

    @Override
    public PartitionLog log() {
        return partition;
    }

    @Override
    public boolean isHeld() {
        return !partition.isReplaced();
    }

    @Override
    public Registration onLost(Runnable lost) {
        return () -> {};
    }

    @Override
    public PendingAppend append(EncodedBatch batch) {
        return begin(batch, SegmentWriter.ANYWHERE);
    }

    @Override
    public PendingAppend appendAt(long offset, EncodedBatch batch) {
        if (offset < 0) {
            throw new IllegalArgumentException("no offset: " + offset);
        }
        return begin(batch, offset);
    }

    /** A wanted offset above the end of the log is a conflict too: the caller knows records that were lost. */
    private PendingAppend begin(EncodedBatch batch, long wanted) {
        try {
            long base = partition.append(batch, wanted);
            return base == SegmentWriter.TAKEN
                    ? PendingAppend.failed(new AppendConflictException(partition.name(), wanted))
                    : PendingAppend.placed(partition, new AppendPlace(base, base + batch.offsetCount()));
        } catch (OffsetAboveEndException e) {
            return PendingAppend.failed(new AppendConflictException(partition.name(), wanted));
        } catch (RuntimeException | Error e) {
            return PendingAppend.failed(e);
        }
    }

    @Override
    public void close() {}
}
