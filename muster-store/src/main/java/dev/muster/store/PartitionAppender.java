package dev.muster.store;

import dev.muster.store.batch.EncodedBatch;
import dev.muster.store.watch.Registration;

/**
 * The right to append to one partition. A process opens it with {@link PartitionLog#appender()}, holds it, and closes
 * it. A store may allow many holders at once, as files do, or one, as a ledger does. A holder can lose the right: to
 * another process, or with its connection to the store. Safe for use by many threads.
 *
 * <p>Appends of one appender get their places in the order of the calls.
 */
public interface PartitionAppender extends AutoCloseable {
    PartitionLog log();

    /**
     * False if this appender was closed or is known to be lost. True is a hint only: the next append finds out whether
     * the right is still held.
     */
    boolean isHeld();

    /**
     * Calls {@code lost} once, on a thread of the store, when the store finds that this appender is lost; at once if it
     * is lost already. Closing the appender is no loss.
     */
    Registration onLost(Runnable lost);

    /**
     * Begins to append one batch, whole or not at all, at the end of the log. The log writes base offset and leader
     * epoch into the array of the batch, and the append time if the topic is set to it. The array must not be changed
     * until the place or a failure is known.
     *
     * <p>The call may hold the calling thread in a system call, as {@link PartitionLog} says. It does not wait for the
     * batch to be durable. All failures are reported by the returned {@link PendingAppend}.
     */
    PendingAppend append(EncodedBatch batch);

    /**
     * Appends as {@link #append} does if {@code offset} is the end of the log, over all processes and with records that
     * are not visible yet. Otherwise nothing is written, and the place fails with {@link AppendConflictException}.
     */
    PendingAppend appendAt(long offset, EncodedBatch batch);

    /** Gives the right back. Appends that were begun take place or fail as if it were still held. */
    @Override
    void close();
}
