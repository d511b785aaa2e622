package dev.muster.store;

import dev.muster.store.batch.EncodedBatch;
import dev.muster.store.watch.Registration;
import java.time.Duration;
import java.util.Optional;

/**
 * One partition: a dense sequence of records, appended at the end, read from any offset. Safe for use by many threads;
 * other processes may append and read at the same time.
 *
 * <p>Blocking calls may hold the calling thread in a system call: give virtual threads a platform thread to do this.
 */
public interface PartitionLog {
    Topic topic();

    int partition();

    /**
     * Appends one batch, whole or not at all. When this returns the batch has its place: it is counted in the log and
     * survives the death of this process. Whether it survives power loss is told by {@link #awaitDurable}. The base
     * offset and the leader epoch are written into the batch in place, and the time where the topic wants the log's.
     *
     * <p>After a failure with an unknown outcome (an error in mid-write) the log looks before it answers: an exception
     * means that the batch is not there and never will be.
     *
     * @return the offset of the first record
     * @throws RecordTooLargeException when the batch is larger than {@code max.message.bytes}; nothing was written
     * @throws DiskFullException when there is no room; works again when there is
     * @throws TopicDeletedException when the topic is gone
     * @throws NotOwnerException where another process holds the lease of this partition
     */
    long append(EncodedBatch batch);

    /**
     * Returns when all records below {@code endOffset} are as safe as the topic's sync level promises: after fsync at
     * {@code commit} (shared with everyone who waits, in all processes), at once otherwise. It answers for the batch
     * that ends there: an earlier one may have been given up, so ask for each.
     *
     * @throws SyncFailedException when the disk refused to sync: the records may be lost and are not visible
     * @throws TopicDeletedException when the topic is gone: nothing was acknowledged
     */
    void awaitDurable(long endOffset);

    /**
     * Syncs everything written so far, whatever the sync level. What was given up before, after a sync that failed, is
     * no reason to fail again.
     */
    void sync();

    /**
     * Counts what writers appended and did not live to announce: the next append goes behind it, but until then nobody
     * sees it. For whoever must know all of a log before it appends.
     */
    default void catchUp() {}

    /**
     * True if files of the log were removed or replaced while it was in use, or its topic was deleted. From then on
     * {@link #append}, {@link #awaitDurable} and reads throw {@link LogReplacedException} or
     * {@link TopicDeletedException}. {@link LogStore#log} gives the log that is there now: a topic that was deleted
     * comes back with a restored directory.
     */
    default boolean isReplaced() {
        return false;
    }

    /** The first offset that can be read. */
    long startOffset();

    /** The offset behind the last visible record. At {@code sync=commit} only durable records are visible. */
    long endOffset();

    /**
     * How often the log had to give up a tail that a power cut took. Offsets may be given anew only with a higher
     * number, which the batches carry.
     */
    int leaderEpoch();

    /**
     * The offset behind the last record that has this leader epoch or a lower one.
     *
     * @param epoch not above {@link #leaderEpoch}
     */
    long endOfEpoch(int epoch);

    /**
     * Something derived from the log that a user of it keeps beside it, to save time. It may be gone or old at any
     * time: whoever reads it must be able to tell, and to do without.
     *
     * @param name letters and hyphens
     */
    Optional<byte[]> note(String name);

    /** Replaces a note, whole or not at all; of those who may keep one of that name, one at a time. */
    void keepNote(String name, byte[] content);

    /** A cursor of its own for one thread, at the given offset. */
    LogReader reader(long offset);

    /**
     * The first visible record whose timestamp is at or after the given one, without scanning the log.
     *
     * @param timestamp milliseconds since 1970
     */
    Optional<OffsetAndTimestamp> firstAtOrAfter(long timestamp);

    /** Makes records below the offset unreadable, for good. Beyond the end, or back, is refused. */
    void trim(long newStartOffset);

    /** Bytes on disk, for {@code describe} and retention. */
    long sizeBytes();

    /**
     * Waits until {@code endOffset() > offset}, the timeout has passed, or by chance. Uses no CPU while it waits and is
     * woken by appends of any process. Answers interruption by returning early with the flag set.
     *
     * @return whether there is something to read at the offset
     */
    boolean awaitRecords(long offset, Duration timeout);

    /**
     * Calls back, once for each append by any process that makes records visible, on a thread of the store; may be
     * called without need. For those who wait for many partitions at once.
     */
    Registration onAppend(Runnable wake);

    /** A record's place and time. */
    record OffsetAndTimestamp(long offset, long timestamp) {}
}
