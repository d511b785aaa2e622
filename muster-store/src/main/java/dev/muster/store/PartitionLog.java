package dev.muster.store;

import dev.muster.core.Topic;
import dev.muster.store.batch.EncodedBatch;
import dev.muster.store.group.Hosts;
import dev.muster.store.read.LogReader;
import dev.muster.store.watch.Registration;
import java.util.Optional;

/**
 * One partition: a sequence of records, appended at the end, read from any offset. Safe for use by many threads; other
 * processes may append and read at the same time.
 *
 * <p>Offsets strictly increase. They need not be dense: the batch behind a batch begins at its last offset delta plus
 * one or higher, and offsets inside a batch may be unused. An offset without a record is read as the next record.
 *
 * <p>Calls that block may hold the calling thread in a system call, and a virtual thread would hold its carrier with
 * it. So they belong on a platform thread.
 */
public interface PartitionLog {
    Topic topic();

    int partition();

    /**
     * Opens the right to append to this partition. After an {@link AppendOutcomeUnknownException} this call settles the
     * outcome of all appends that this process began before: when it returns, each batch is in the log, or never will
     * be.
     *
     * @throws NotOwnerException if another process holds the right and the store does not take it away
     * @throws TopicDeletedException if the topic was deleted
     * @throws ReadOnlyException if the store was opened read-only
     * @throws StoreUnavailableException if the store cannot be reached
     */
    PartitionAppender appender();

    /**
     * Appends one batch with an appender of its own, and with another one if that is taken away.
     *
     * @return the offset of the first record
     * @throws dev.muster.core.MusterException as {@link #appender} and {@link PendingAppend#place} throw it
     */
    default long append(EncodedBatch batch) {
        while (true) {
            try (PartitionAppender appender = appender()) {
                return appender.append(batch).place().baseOffset();
            } catch (FencedException e) {
                // Another appender of the partition was opened meanwhile. Nothing was written.
                Thread.onSpinWait();
            }
        }
    }

    /**
     * Returns when all records below {@code endOffset} are as safe as the topic's sync level promises. At
     * {@code commit} this is after a sync, which all waiting threads of all processes share; at other levels it is at
     * once. The result holds for the batch that ends at {@code endOffset}. An earlier batch may have been given up, so
     * call this for each batch.
     *
     * @throws SyncFailedException if the store failed to sync: the records may be lost and are not visible
     * @throws TopicDeletedException if the topic was deleted: nothing was acknowledged
     */
    void awaitDurable(long endOffset);

    /**
     * Makes visible everything that any process appended before this call, also records that a writer did not announce
     * because it died. At {@code sync=commit} they are durable then. A writer calls this if it must know all records of
     * a log before it appends.
     *
     * @return the offset behind these records
     * @throws SyncFailedException if the store failed to sync; another call gives the records up that cannot be synced
     */
    long settle();

    /**
     * True if files of the log were removed or replaced while it was in use, or its topic was deleted. From then on
     * {@link #append}, {@link #awaitDurable} and reads throw {@link LogReplacedException} or
     * {@link TopicDeletedException}. {@link LogStore#log} returns the log that exists now: a deleted topic comes back
     * when the directory is restored.
     */
    default boolean isReplaced() {
        return false;
    }

    /**
     * The first offset that can be read, as this process knows it. It never falls. A trim by another process may become
     * known here late; reads below the new start throw then.
     */
    long startOffset();

    /**
     * The offset behind the last visible record, as this process knows it. At {@code sync=commit} only durable records
     * are visible. The call reads memory. It never falls, it counts all records that this process appended and waited
     * for or has read, and it counts all records that were visible when {@link #refresh} or {@link Hosts#renew} began.
     * Records of other processes may be counted late.
     */
    long endOffset();

    /**
     * Asks the store for the end of the log. The call may block.
     *
     * @return the offset behind the last record that was visible when this call began, or a higher one
     * @throws StoreUnavailableException if the store cannot be reached
     */
    long refresh();

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
     * Calls {@code wake} on a thread of the store after each append, by any process, that makes records visible. It may
     * also be called without need, late, or in rare cases not at all: a waiting caller looks again at times by itself.
     */
    Registration onAppend(Runnable wake);

    /** The offset and the timestamp of a record. */
    record OffsetAndTimestamp(long offset, long timestamp) {}
}
