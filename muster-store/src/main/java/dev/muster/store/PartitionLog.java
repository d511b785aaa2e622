package dev.muster.store;

import dev.muster.core.Topic;
import dev.muster.store.batch.EncodedBatch;
import dev.muster.store.watch.Registration;
import java.time.Duration;
import java.util.Optional;

/**
 * One partition: a dense sequence of records, appended at the end, read from any offset. Safe for use by many threads;
 * other processes may append and read at the same time.
 *
 * <p>Calls that block may hold the calling thread in a system call, and a virtual thread would hold its carrier with
 * it. So they belong on a platform thread.
 */
public interface PartitionLog {
    Topic topic();

    int partition();

    /**
     * Appends one batch, whole or not at all. When this returns, the batch has its place: it counts in the log and
     * survives the death of this process. {@link #awaitDurable} returns when it also survives power loss. The log
     * writes base offset and leader epoch into the array of the batch, and the append time if the topic is set to it.
     *
     * <p>A write can fail with an unknown outcome. Then the log checks before it responds whether the batch was
     * written: an exception means that the batch is not in the log and never will be.
     *
     * @return the offset of the first record
     * @throws RecordTooLargeException if the batch is larger than {@code max.message.bytes}; nothing was written
     * @throws DiskFullException if there is no room; appends work again once there is
     * @throws TopicDeletedException if the topic was deleted
     * @throws NotOwnerException if another process holds the lease of this partition
     */
    long append(EncodedBatch batch);

    /**
     * Returns when all records below {@code endOffset} are as safe as the topic's sync level promises. At
     * {@code commit} this is after an fsync, which all waiting threads of all processes share; at other levels it is at
     * once. The result holds for the batch that ends at {@code endOffset}. An earlier batch may have been given up, so
     * call this for each batch.
     *
     * @throws SyncFailedException if the disk failed to sync: the records may be lost and are not visible
     * @throws TopicDeletedException if the topic was deleted: nothing was acknowledged
     */
    void awaitDurable(long endOffset);

    /**
     * Syncs everything written so far, whatever the sync level. Records that an earlier failed sync gave up do not make
     * this call fail.
     */
    void sync();

    /**
     * Counts records that a writer appended and did not announce because it died. Without this call the next append
     * goes behind them, and until then no process sees them. A writer calls this if it must know all records of a log
     * before it appends.
     */
    default void catchUp() {}

    /**
     * True if files of the log were removed or replaced while it was in use, or its topic was deleted. From then on
     * {@link #append}, {@link #awaitDurable} and reads throw {@link LogReplacedException} or
     * {@link TopicDeletedException}. {@link LogStore#log} returns the log that exists now: a deleted topic comes back
     * when the directory is restored.
     */
    default boolean isReplaced() {
        return false;
    }

    /** The first offset that can be read. */
    long startOffset();

    /** The offset behind the last visible record. At {@code sync=commit} only durable records are visible. */
    long endOffset();

    /**
     * The number of times that the log lost its tail in a power cut. A lost offset is used again only with a higher
     * leader epoch, which the batches carry.
     */
    int leaderEpoch();

    /**
     * The offset behind the last record that has this leader epoch or a lower one.
     *
     * @param epoch the leader epoch, not above {@link #leaderEpoch}
     */
    long endOfEpoch(int epoch);

    /**
     * A note that a user of the log keeps beside it to save time, derived from the log's records. A note may be missing
     * or outdated at any time: its reader must detect that, and work without it.
     *
     * @param name the name of the note: letters and hyphens
     */
    Optional<byte[]> note(String name);

    /** Replaces a note, whole or not at all. At most one user at a time may write the note of a name. */
    void keepNote(String name, byte[] content);

    /** A cursor of its own for one thread, at the given offset. */
    LogReader reader(long offset);

    /**
     * The first visible record whose timestamp is at or after the given one, without scanning the log.
     *
     * @param timestamp milliseconds since 1970
     */
    Optional<OffsetAndTimestamp> firstAtOrAfter(long timestamp);

    /**
     * Makes records below the offset unreadable for good.
     *
     * @throws OffsetOutOfRangeException if the offset is below the start or above the end of the log
     */
    void trim(long newStartOffset);

    /** The size on disk in bytes, for {@code describe} and retention. */
    long sizeBytes();

    /**
     * Waits until {@code endOffset() > offset} or the timeout has passed; it may also return early without a reason. It
     * uses no CPU while it waits, and appends of any process wake it. If the thread is interrupted, it returns early
     * with the flag set.
     *
     * @return true if there is a record to read at the offset
     */
    boolean awaitRecords(long offset, Duration timeout);

    /**
     * Calls {@code wake} on a thread of the store after each append, by any process, that makes records visible. It may
     * also be called without need. It is meant for a caller that waits for many partitions at once.
     */
    Registration onAppend(Runnable wake);

    /** The offset and the timestamp of a record. */
    record OffsetAndTimestamp(long offset, long timestamp) {}
}
