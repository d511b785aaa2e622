package dev.muster.store.file.log;

import dev.muster.core.MusterException;
import dev.muster.core.RecordTime;
import dev.muster.core.SyncLevel;
import dev.muster.core.Topic;
import dev.muster.core.TopicId;
import dev.muster.core.TopicSettings;
import dev.muster.disk.NoRoomException;
import dev.muster.store.LogReplacedException;
import dev.muster.store.OffsetOutOfRangeException;
import dev.muster.store.PartitionAppender;
import dev.muster.store.PartitionLog;
import dev.muster.store.ReadOnlyException;
import dev.muster.store.RecordTooLargeException;
import dev.muster.store.batch.EncodedBatch;
import dev.muster.store.file.log.recovery.Checkpoint;
import dev.muster.store.file.log.recovery.SegmentList;
import dev.muster.store.file.log.segment.PartitionKey;
import dev.muster.store.file.log.segment.SegmentName;
import dev.muster.store.read.LogReader;
import dev.muster.store.watch.Registration;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * One partition in a directory: the contract {@link PartitionLog}. {@link SegmentWriter} appends, {@link SegmentSync}
 * syncs, and {@link FileLogReader} reads. {@link PartitionState} has the segments and the shared page.
 */
public final class FilePartition implements PartitionLog, AutoCloseable {
    /** The result of {@link #unsyncedEnd} if every written record is durable or visible. */
    static final long ALL_SYNCED = -1;

    private final PartitionState state;
    private final PartitionNotes notes;
    private final FileAppender appender = new FileAppender(this);

    private FilePartition(PartitionState state) {
        this.state = state;
        this.notes = new PartitionNotes(state);
    }

    /** Opens a partition. Recovers it first if no process of this boot has done so. */
    public static FilePartition open(PartitionKey key, TopicView topic, LogEnvironment env) {
        return new FilePartition(PartitionOpening.open(key, topic, env));
    }

    // ---- contract: appending

    @Override
    public Topic topic() {
        return state.topicView().topic();
    }

    @Override
    public int partition() {
        return state.key().partition();
    }

    @Override
    public PartitionAppender appender() {
        state.checkUsable();
        if (state.env().readOnly()) {
            throw new ReadOnlyException("append to " + state.key());
        }
        return appender;
    }

    @Override
    public long append(EncodedBatch batch) {
        return append(batch, SegmentWriter.ANYWHERE);
    }

    /**
     * Appends as {@link #append} does, but only at this offset.
     *
     * @return false if another record has the offset; nothing was written
     */
    public boolean appendAt(long offset, EncodedBatch batch) {
        if (offset < 0) {
            throw new IllegalArgumentException("no offset: " + offset);
        }
        return append(batch, offset) != SegmentWriter.TAKEN;
    }

    long append(EncodedBatch batch, long wanted) {
        state.checkUsable();
        TopicSettings settings = state.settings();
        if (batch.size() > settings.messageBytesMax()) {
            throw new RecordTooLargeException(topic().name().value(), batch.size(), settings.messageBytesMax());
        }
        if (state.env().readOnly()) {
            throw new ReadOnlyException("append to " + state.key());
        }
        if (settings.recordTime() == RecordTime.LOG_APPEND) {
            batch.setAppendTime(state.env().clock().millis());
        }
        long base;
        try {
            if (state.key().isJournal()) {
                base = state.env().pressure().evenWhenFull(() -> appendShared(batch, wanted));
            } else {
                state.env().pressure().admit(batch.size());
                base = appendShared(batch, wanted);
            }
        } catch (NoRoomException e) {
            state.env().pressure().foundNoRoom();
            state.topicView().checkNotDeleted();
            throw state.failed("append to", e);
        } catch (IOException e) {
            state.topicView().checkNotDeleted();
            throw state.failed("append to", e);
        }
        if (state.topicView().showsUnsynced() && base != SegmentWriter.TAKEN) {
            state.publish();
        }
        return base;
    }

    private long appendShared(EncodedBatch batch, long wanted) throws IOException {
        state.share();
        return state.writer().append(batch, wanted);
    }

    @Override
    public void awaitDurable(long endOffset) {
        state.topicView().checkNotDeleted();
        state.shareEvenWhenFull();
        if (state.settings().sync() == SyncLevel.COMMIT) {
            state.checkNotReplaced();
            sync(() -> state.syncs().upTo(endOffset));
        }
        state.topicView().checkNotDeleted();
    }

    private void sync(Runnable part) {
        try {
            part.run();
        } catch (MusterException e) {
            // A deletion of the topic removes files during a sync. Then the caller must get the error for the deletion.
            state.topicView().checkNotDeleted();
            throw e;
        }
    }

    @Override
    public long settle() {
        catchUp();
        if (state.settings().sync() == SyncLevel.COMMIT) {
            sync();
        }
        // At other levels all of it is visible. To write it out too may mean to write a gigabyte.
        return endOffset();
    }

    /**
     * Syncs everything written so far, whatever the sync level. Records that an earlier failed sync gave up do not make
     * this call fail.
     */
    public void sync() {
        state.checkUsable();
        if (state.env().readOnly()) {
            throw new ReadOnlyException("sync " + state.key());
        }
        state.shareEvenWhenFull();
        sync(state.syncs()::all);
        state.topicView().checkNotDeleted();
    }

    /** Counts records that a writer appended and did not announce because it died. */
    private void catchUp() {
        state.checkUsable();
        if (state.env().readOnly()) {
            throw new ReadOnlyException("look for the end of " + state.key());
        }
        state.shareEvenWhenFull();
        try {
            state.env().pressure().evenWhenFull(() -> {
                state.writer().catchUp();
                return null;
            });
        } catch (IOException e) {
            state.topicView().checkNotDeleted();
            throw state.failed("look for the end of", e);
        }
    }

    // ---- contract: reading

    @Override
    public long startOffset() {
        return state.startOffset();
    }

    @Override
    public long endOffset() {
        return state.endOffset();
    }

    @Override
    public long refresh() {
        state.checkUsable();
        return state.endOffset();
    }

    @Override
    public long sizeBytes() {
        return state.segments().sizeBytes();
    }

    @Override
    public int leaderEpoch() {
        state.checkUsable();
        try {
            return state.facts().leaderEpoch();
        } catch (IOException e) {
            throw state.failed("read the checkpoint of", e);
        }
    }

    @Override
    public long endOfEpoch(int epoch) {
        state.checkUsable();
        try {
            // A later cut may be at a lower offset than an earlier one.
            long end = endOffset();
            for (Checkpoint.Cut cut : state.facts().cuts()) {
                end = cut.epoch() > epoch ? Math.min(end, cut.offset()) : end;
            }
            return end;
        } catch (IOException e) {
            throw state.failed("read the checkpoint of", e);
        }
    }

    @Override
    public Optional<byte[]> note(String name) {
        state.checkUsable();
        return notes.read(name);
    }

    @Override
    public void keepNote(String name, byte[] content) {
        state.checkUsable();
        notes.keep(name, content);
    }

    @Override
    public LogReader reader(long offset) {
        state.checkUsable();
        return new FileLogReader(state, offset);
    }

    @Override
    public Optional<OffsetAndTimestamp> firstAtOrAfter(long timestamp) {
        state.checkUsable();
        try {
            return new TimeSearch(state).firstAtOrAfter(timestamp);
        } catch (IOException e) {
            throw state.failed("search", e);
        }
    }

    @Override
    public Registration onAppend(Runnable wake) {
        Registration woken = state.env().waker().subscribe(state.wakeWord(), wake);
        if (state.env().readOnly() || state.key().isJournal()) {
            return woken;
        }
        Registration watched = state.env().unsynced().watch(this);
        return () -> {
            woken.close();
            watched.close();
        };
    }

    /**
     * The end of records that readers do not see because they are written and not durable; {@link #ALL_SYNCED} if there
     * are none. Reads memory only.
     */
    long unsyncedEnd() {
        long written = state.control().writtenEnd();
        boolean unsynced =
                written > Math.max(state.control().durableEnd(), state.control().start());
        return unsynced
                        && !state.isClosed()
                        && !state.hasLostFiles()
                        && !state.topicView().isDeleted()
                        && !state.topicView().showsUnsynced()
                ? written
                : ALL_SYNCED;
    }

    /** Makes the records below this offset durable if no process has done so. */
    void syncIfUnsynced(long end) {
        if (unsyncedEnd() >= end && state.control().durableEnd() < end) {
            sync(() -> state.syncs().upTo(end));
        }
    }

    // ---- contract: giving up old records

    @Override
    public void trim(long newStartOffset) {
        state.checkUsable();
        if (state.env().readOnly()) {
            throw new ReadOnlyException("trim " + state.key());
        }
        state.shareEvenWhenFull();
        long start = startOffset();
        long end = endOffset();
        if (newStartOffset < start || newStartOffset > end) {
            throw new OffsetOutOfRangeException(state.name(), newStartOffset, start, end);
        }
        try {
            state.env().pressure().evenWhenFull(() -> {
                leaveTheLastSegment(newStartOffset);
                state.raiseStart(newStartOffset);
                state.segments().deleteBelow(state.control().start());
                return null;
            });
        } catch (IOException e) {
            throw state.failed("trim", e);
        }
    }

    /**
     * Begins a new segment if all records are to be removed. The last segment is never deleted, so the file with the
     * newest records must not be the last one.
     */
    private void leaveTheLastSegment(long newStartOffset) throws IOException {
        List<SegmentName> names = state.segments().refresh();
        if (!names.isEmpty()
                && names.getLast().base() < newStartOffset
                && newStartOffset == state.control().writtenEnd()) {
            state.writer().beginSegmentAt(newStartOffset);
        }
    }

    /**
     * Hides the records below the offset from all processes of this boot, at the cost of a store into a page. If whole
     * files are below it, the start is made durable and the files are deleted. After a reboot the remaining records are
     * readable again.
     */
    public void forgetBelow(long offset) {
        state.checkUsable();
        if (state.env().readOnly()) {
            throw new ReadOnlyException("trim " + state.key());
        }
        state.shareEvenWhenFull();
        if (offset > endOffset()) {
            throw new OffsetOutOfRangeException(state.name(), offset, startOffset(), endOffset());
        }
        try {
            List<SegmentName> names = state.segments().names();
            // If the first segment is missing, the start must be durable too, or a check would find a gap for ever.
            boolean gap = !names.isEmpty()
                    && names.getFirst().base() > state.control().start();
            if (gap || SegmentList.floor(names, offset) > 0) {
                state.env().pressure().evenWhenFull(() -> state.checkpoint().writeStart(offset));
                state.control().raiseStart(offset);
                // Not up to the start on the page, because other processes may have raised it without making it
                // durable.
                state.segments().deleteBelow(offset);
            } else {
                state.control().raiseStart(offset);
            }
        } catch (IOException e) {
            state.topicView().checkNotDeleted();
            throw state.failed("trim", e);
        }
    }

    /** True if some of these records could not be synced, and may be lost in a power cut. */
    public boolean hasLost(long firstOffset, long nextOffset) {
        try {
            return state.facts().lost().stream()
                    .anyMatch(range -> range.firstOffset() < nextOffset && range.nextOffset() > firstOffset);
        } catch (IOException e) {
            throw state.failed("read the checkpoint of", e);
        }
    }

    /**
     * Deletes whole segments by the topic's retention. Safe to run in two processes at once.
     *
     * @param now the current time for retention; empty if no segment may be removed because of its age
     * @return the schedule of the next retention
     */
    public RetentionSchedule retain(OptionalLong now) {
        try {
            long written = state.control().writtenEnd();
            Retention retention = new Retention(state, now);
            state.env().pressure().evenWhenFull(() -> {
                if (!state.isAlone() || retention.isDue()) {
                    state.share();
                    retention.run();
                }
                return null;
            });
            return new RetentionSchedule(state.control(), state.settings(), written, retention.nextDueMs());
        } catch (IOException e) {
            throw state.failed("apply retention to", e);
        }
    }

    /** Syncs the written records, for topics that are synced by time. */
    public void flush() {
        if (state.control().writtenEnd() > state.control().durableEnd()
                && !state.env().readOnly()) {
            state.syncs().upTo(state.control().writtenEnd());
        }
    }

    // ---- for the store

    /** The word of the wake-up page that this partition raises. */
    public static int wakeWord(PartitionKey key) {
        return Waker.word(key);
    }

    /** The name of the partition for messages, as "orders-0". */
    String name() {
        return state.name();
    }

    PartitionKey key() {
        return state.key();
    }

    /** Closes the active segment, so that the next record begins another one. */
    public void roll() {
        state.checkUsable();
        if (state.env().readOnly()) {
            throw new ReadOnlyException("begin a segment of " + state.key());
        }
        try {
            state.writer().rollIfOlderThan(Long.MAX_VALUE);
        } catch (IOException e) {
            state.topicView().checkNotDeleted();
            throw state.failed("begin a segment of", e);
        }
    }

    /** Wakes all waiting threads of all processes, although nothing was appended. */
    public void wakeAll() {
        state.publish();
    }

    /**
     * Checks that the folder, the control page and the files that this process wrote to still have their names, and
     * closes files that were trimmed away. Called about once a second; costs nothing if the partition has not changed
     * since the last call.
     */
    public void look() {
        state.look();
    }

    @Override
    public boolean isReplaced() {
        return hasLostFiles() || state.topicView().isDeleted();
    }

    /** True if a file or the folder was removed or replaced, other than by the deletion of the topic. */
    public boolean hasLostFiles() {
        return state.hasLostFiles();
    }

    /** Throws if files of this partition were removed or replaced. Costs nothing. */
    public void checkNotReplaced() {
        state.checkNotReplaced();
    }

    /**
     * Makes this partition refuse everything from now on, because its last records were cut off and their offsets will
     * be used again.
     *
     * @return the error for the caller
     */
    public LogReplacedException lostItsEnd(RuntimeException cause) {
        return state.lostItsEnd(cause);
    }

    public TopicId topicId() {
        return state.key().topic();
    }

    /** True if any process has deleted the topic. */
    public boolean isDeleted() {
        return state.isDeleted();
    }

    @Override
    public void close() {
        state.close();
    }
}
