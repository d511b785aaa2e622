package dev.muster.store.file.log;

import dev.muster.core.MusterException;
import dev.muster.core.RecordTime;
import dev.muster.core.SyncLevel;
import dev.muster.core.TopicId;
import dev.muster.core.TopicSettings;
import dev.muster.disk.DiskFile;
import dev.muster.disk.HeapPage;
import dev.muster.disk.NoRoomException;
import dev.muster.store.DiskFullException;
import dev.muster.store.LogReader;
import dev.muster.store.LogReplacedException;
import dev.muster.store.OffsetOutOfRangeException;
import dev.muster.store.PartitionLog;
import dev.muster.store.PermissionDeniedException;
import dev.muster.store.ReadOnlyException;
import dev.muster.store.RecordTooLargeException;
import dev.muster.store.StoreClosedException;
import dev.muster.store.StoreIoException;
import dev.muster.store.Topic;
import dev.muster.store.TopicDeletedException;
import dev.muster.store.TopicNotFoundException;
import dev.muster.store.batch.EncodedBatch;
import dev.muster.store.file.log.recovery.Checkpoint;
import dev.muster.store.file.log.recovery.ControlPage;
import dev.muster.store.file.log.recovery.OldPage;
import dev.muster.store.file.log.recovery.Recovery;
import dev.muster.store.file.log.recovery.SegmentList;
import dev.muster.store.file.log.segment.PartitionKey;
import dev.muster.store.file.log.segment.SegmentName;
import dev.muster.store.watch.Registration;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * One partition in a directory. Appending is {@link SegmentWriter}'s work, syncing {@link SegmentSync}'s, reading
 * {@link FileLogReader}'s; this type knows which segments there are and what the shared page says, and turns failures
 * of the disk into the errors of the contract.
 */
public final class FilePartition implements PartitionLog, AutoCloseable {
    /** No record at {@code sync=commit} is written and not durable. */
    static final long ALL_SYNCED = -1;

    private static final long LOOK_AGAIN_NANOS = 1_000_000_000;
    private static final String NOTE_SUFFIX = ".note";
    private static final System.Logger LOG = System.getLogger(FilePartition.class.getName());

    private final PartitionKey key;
    private final TopicView topic;
    private final LogEnvironment env;
    private volatile ControlPage control;
    private final Checkpoint checkpoint;
    private final SegmentWriter writer;
    private final SegmentSync sync;
    private final int wakeWord;
    private final PartitionPlace place;
    /** What was removed or replaced, as the subject and verb of a sentence; null as long as nothing was. */
    private volatile String replaced;

    private volatile Checkpoint.Facts facts;
    private volatile Segments segments;
    // Of a process that may only read, or that had no room for the page: when it last looked for the page.
    private volatile long lookedForPageNanos = System.nanoTime();
    // There was no room for the shared page: the one here is known to this process only, and nothing was written yet.
    private volatile boolean alone;
    private final ReentrantLock sharing = new ReentrantLock();
    private volatile boolean closed;

    /** The segments as they were when the page told these numbers. */
    private record Segments(List<SegmentName> names, long rolls, long start) {}

    private FilePartition(
            PartitionKey key, TopicView topic, LogEnvironment env, ControlPage control, Checkpoint.Facts facts)
            throws IOException {
        this.key = key;
        this.topic = topic;
        this.env = env;
        this.control = control;
        this.checkpoint = new Checkpoint(env.disk(), key.folder());
        this.facts = facts;
        this.wakeWord = Waker.word(key);
        this.place = new PartitionPlace(this);
        this.segments = readSegments();
        this.writer = new SegmentWriter(this);
        this.sync = new SegmentSync(this);
    }

    /** Opens a partition; recovers it first where no process of this boot has done so. */
    public static FilePartition open(PartitionKey key, TopicView topic, LogEnvironment env) {
        Path page = ControlPage.file(key.folder(), env.bootId());
        try {
            if (!env.disk().exists(key.folder())) {
                throw new TopicNotFoundException("partition " + key.partition() + " of topic \""
                        + topic.topic().name() + "\"");
            }
            Opened opened = null;
            try {
                opened = env.readOnly() ? null : openShared(key, topic, env);
            } catch (NoRoomException e) {
                // Reading needs no room: others hear of us when something is to be written.
                LOG.log(System.Logger.Level.DEBUG, "no room for {0}: {1}", page, e.getMessage());
            }
            boolean alone = opened == null && !env.readOnly();
            opened = opened == null ? openForReading(key, topic, env) : opened;
            FilePartition log = new FilePartition(key, topic, env, opened.control(), opened.facts());
            log.alone = alone;
            return log;
        } catch (NoSuchFileException e) {
            if (!env.disk().exists(key.folder())) {
                throw new TopicNotFoundException("partition " + key.partition() + " of topic \""
                        + topic.topic().name() + "\" (it was deleted)");
            }
            throw failure("open", key.folder(), e);
        } catch (IOException e) {
            throw failure("open", key.folder(), e);
        }
    }

    private record Opened(ControlPage control, Checkpoint.Facts facts) {}

    /**
     * With the page that all processes of this boot share. Made, or raised, by a recovery where there is none, or one
     * that knows less than the log.
     */
    private static Opened openShared(PartitionKey key, TopicView topic, LogEnvironment env) throws IOException {
        Path page = ControlPage.file(key.folder(), env.bootId());
        ControlPage control = ControlPage.openExisting(env.disk(), page, false);
        if (control != null && !OldPage.knowsLess(control, key, env.disk())) {
            return new Opened(control, new Checkpoint(env.disk(), key.folder()).read());
        }
        Recovery.Result found = new Recovery(env.disk(), key, env.bootId(), false, topic.showsUnsynced()).run();
        return new Opened(ControlPage.create(env.disk(), page, found.end(), found.end(), found.start()), found.facts());
    }

    /** With the page of the others where there is one, else with one of our own, and without any change on disk. */
    private static Opened openForReading(PartitionKey key, TopicView topic, LogEnvironment env) throws IOException {
        Path page = ControlPage.file(key.folder(), env.bootId());
        ControlPage control = ControlPage.openExisting(env.disk(), page, env.readOnly());
        if (control != null) {
            return new Opened(control, new Checkpoint(env.disk(), key.folder()).read());
        }
        Recovery.Result found = new Recovery(env.disk(), key, env.bootId(), true, topic.showsUnsynced()).run();
        HeapPage own = new HeapPage(ControlPage.content(found.end(), found.end(), found.start()));
        return new Opened(ControlPage.of(own), found.facts());
    }

    /**
     * Makes the page that all processes share, where there was no room for it when the partition was opened. Comes
     * before anything is written or synced here.
     */
    private void share() throws IOException {
        if (!alone) {
            return;
        }
        sharing.lock();
        try {
            if (alone) {
                topic.share();
                Opened shared = openShared(key, topic, env);
                facts = shared.facts();
                control = shared.control();
                alone = false;
                refreshSegments();
            }
        } finally {
            sharing.unlock();
        }
    }

    private void shareEvenWhenFull() {
        if (alone) {
            try {
                env.pressure().evenWhenFull(() -> {
                    share();
                    return null;
                });
            } catch (IOException e) {
                throw failure("open", key.folder(), e);
            }
        }
    }

    // ---- contract: appending

    @Override
    public Topic topic() {
        return topic.topic();
    }

    @Override
    public int partition() {
        return key.partition();
    }

    @Override
    public long append(EncodedBatch batch) {
        return append(batch, SegmentWriter.ANYWHERE);
    }

    /**
     * Appends as {@link #append} does, but at this offset or not at all.
     *
     * @return false when another record has the offset: nothing was written
     */
    public boolean appendAt(long offset, EncodedBatch batch) {
        if (offset < 0) {
            throw new IllegalArgumentException("no offset: " + offset);
        }
        return append(batch, offset) != SegmentWriter.TAKEN;
    }

    private long append(EncodedBatch batch, long wanted) {
        checkUsable();
        TopicSettings settings = settings();
        if (batch.size() > settings.messageBytesMax()) {
            throw new RecordTooLargeException(topic().name().value(), batch.size(), settings.messageBytesMax());
        }
        if (env.readOnly()) {
            throw new ReadOnlyException("append to " + key);
        }
        if (settings.recordTime() == RecordTime.LOG_APPEND) {
            batch.setAppendTime(env.clock().millis());
        }
        long base;
        try {
            if (key.isJournal()) {
                base = env.pressure().evenWhenFull(() -> appendShared(batch, wanted));
            } else {
                env.pressure().admit(batch.size());
                base = appendShared(batch, wanted);
            }
        } catch (NoRoomException e) {
            env.pressure().foundNoRoom();
            topic.checkNotDeleted();
            throw failure("append to", key.folder(), e);
        } catch (IOException e) {
            topic.checkNotDeleted();
            throw failure("append to", key.folder(), e);
        }
        if (topic.showsUnsynced() && base != SegmentWriter.TAKEN) {
            publish();
        }
        return base;
    }

    private long appendShared(EncodedBatch batch, long wanted) throws IOException {
        share();
        return writer.append(batch, wanted);
    }

    @Override
    public void awaitDurable(long endOffset) {
        topic.checkNotDeleted();
        shareEvenWhenFull();
        if (settings().sync() == SyncLevel.COMMIT) {
            checkNotReplaced();
            sync(() -> sync.upTo(endOffset));
        }
        topic.checkNotDeleted();
    }

    private void sync(Runnable part) {
        try {
            part.run();
        } catch (MusterException e) {
            // A delete takes the files away under a sync: then that is what the caller must know.
            topic.checkNotDeleted();
            throw e;
        }
    }

    @Override
    public void sync() {
        checkUsable();
        if (env.readOnly()) {
            throw new ReadOnlyException("sync " + key);
        }
        shareEvenWhenFull();
        sync(sync::all);
        topic.checkNotDeleted();
    }

    @Override
    public void catchUp() {
        checkUsable();
        if (env.readOnly()) {
            throw new ReadOnlyException("look for the end of " + key);
        }
        shareEvenWhenFull();
        try {
            env.pressure().evenWhenFull(() -> {
                writer.catchUp();
                return null;
            });
        } catch (IOException e) {
            topic.checkNotDeleted();
            throw failure("look for the end of", key.folder(), e);
        }
    }

    // ---- contract: reading

    @Override
    public long startOffset() {
        return control.start();
    }

    @Override
    public long endOffset() {
        if ((alone || env.readOnly()) && System.nanoTime() - lookedForPageNanos > LOOK_AGAIN_NANOS) {
            lookForPage();
        }
        long end = topic.showsUnsynced() ? control.writtenEnd() : control.durableEnd();
        return Math.max(end, control.start());
    }

    /** A process that may only read makes no page: it uses the one that has the name, as soon as there is one. */
    private void lookForPage() {
        lookedForPageNanos = System.nanoTime();
        try {
            if (!place.pageIsInPlace()) {
                ControlPage shared =
                        ControlPage.openExisting(env.disk(), ControlPage.file(key.folder(), env.bootId()), true);
                if (shared != null && alone) {
                    share();
                } else if (shared != null) {
                    control = shared;
                    facts = checkpoint.read();
                    refreshSegments();
                }
            }
        } catch (NoRoomException e) {
            // For the page of the topic. The next look comes in a second.
            LOG.log(System.Logger.Level.DEBUG, "no room for a page of {0}: {1}", key, e.getMessage());
        } catch (IOException e) {
            throw failure("read", key.folder(), e);
        }
    }

    @Override
    public int leaderEpoch() {
        checkUsable();
        try {
            return facts().leaderEpoch();
        } catch (IOException e) {
            throw failure("read the checkpoint of", key.folder(), e);
        }
    }

    @Override
    public long endOfEpoch(int epoch) {
        checkUsable();
        try {
            // A later cut may have taken more than an earlier one.
            long end = endOffset();
            for (Checkpoint.Cut cut : facts().cuts()) {
                end = cut.epoch() > epoch ? Math.min(end, cut.offset()) : end;
            }
            return end;
        } catch (IOException e) {
            throw failure("read the checkpoint of", key.folder(), e);
        }
    }

    @Override
    public Optional<byte[]> note(String name) {
        checkUsable();
        try {
            return Optional.of(env.disk().readAll(noteFile(name)));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw failure("read a note of", key.folder(), e);
        }
    }

    @Override
    public void keepNote(String name, byte[] content) {
        checkUsable();
        if (env.readOnly()) {
            throw new ReadOnlyException("keep a note of " + key);
        }
        Path draft = key.folder().resolve(name + NOTE_SUFFIX + ".tmp");
        try {
            // Left by one that was killed.
            env.disk().delete(draft);
            try (DiskFile file = env.disk().openForAppend(draft)) {
                file.append(content, 0, content.length);
            }
            env.disk().rename(draft, noteFile(name));
        } catch (IOException e) {
            topic.checkNotDeleted();
            throw failure("keep a note of", key.folder(), e);
        }
    }

    private Path noteFile(String name) {
        return key.folder().resolve(name + NOTE_SUFFIX);
    }

    @Override
    public LogReader reader(long offset) {
        checkUsable();
        return new FileLogReader(this, offset);
    }

    @Override
    public Optional<OffsetAndTimestamp> firstAtOrAfter(long timestamp) {
        checkUsable();
        try {
            return new TimeSearch(this).firstAtOrAfter(timestamp);
        } catch (IOException e) {
            throw failure("search", key.folder(), e);
        }
    }

    @Override
    public long sizeBytes() {
        long bytes = 0;
        for (SegmentName name : segments()) {
            try {
                bytes += env.disk().size(key.folder().resolve(name.logFile()));
            } catch (IOException e) {
                // Retention took it between the listing and the look.
                continue;
            }
        }
        return bytes;
    }

    @Override
    public boolean awaitRecords(long offset, Duration timeout) {
        checkUsable();
        if (endOffset() > offset) {
            return true;
        }
        Thread waiter = Thread.currentThread();
        long deadline = System.nanoTime() + timeout.toNanos();
        try (Registration _ = onAppend(() -> LockSupport.unpark(waiter))) {
            while (endOffset() <= offset && !closed && !waiter.isInterrupted()) {
                topic.checkNotDeleted();
                long left = deadline - System.nanoTime();
                if (left <= 0) {
                    break;
                }
                LockSupport.parkNanos(Math.min(left, LOOK_AGAIN_NANOS));
            }
        }
        return endOffset() > offset;
    }

    @Override
    public Registration onAppend(Runnable wake) {
        Registration woken = env.waker().subscribe(wakeWord, wake);
        if (env.readOnly() || key.isJournal()) {
            return woken;
        }
        Registration watched = env.unsynced().watch(this);
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
        long written = control.writtenEnd();
        boolean unsynced = written > Math.max(control.durableEnd(), control.start());
        return unsynced && !closed && replaced == null && !topic.isDeleted() && !topic.showsUnsynced()
                ? written
                : ALL_SYNCED;
    }

    /** Makes the records below this offset durable, where no process has done so. */
    void syncIfUnsynced(long end) {
        if (unsyncedEnd() >= end && control.durableEnd() < end) {
            sync(() -> sync.upTo(end));
        }
    }

    // ---- contract: giving up old records

    @Override
    public void trim(long newStartOffset) {
        checkUsable();
        if (env.readOnly()) {
            throw new ReadOnlyException("trim " + key);
        }
        shareEvenWhenFull();
        long start = startOffset();
        long end = endOffset();
        if (newStartOffset < start || newStartOffset > end) {
            throw new OffsetOutOfRangeException(name(), newStartOffset, start, end);
        }
        try {
            env.pressure().evenWhenFull(() -> {
                leaveTheLastSegment(newStartOffset);
                raiseStart(newStartOffset);
                deleteBelowStart();
                return null;
            });
        } catch (IOException e) {
            throw failure("trim", key.folder(), e);
        }
    }

    /** The last segment is never deleted: where all records go, the file that holds the newest ones must not be it. */
    private void leaveTheLastSegment(long newStartOffset) throws IOException {
        List<SegmentName> names = refreshSegments();
        if (!names.isEmpty() && names.getLast().base() < newStartOffset && newStartOffset == control.writtenEnd()) {
            writer.beginSegmentAt(newStartOffset);
        }
    }

    /**
     * Hides the records below the offset from all processes of this boot, at the cost of a store into a page. Where
     * whole files are below it the start is made durable and they go; after a reboot what is left is readable again.
     */
    public void forgetBelow(long offset) {
        checkUsable();
        if (env.readOnly()) {
            throw new ReadOnlyException("trim " + key);
        }
        shareEvenWhenFull();
        if (offset > endOffset()) {
            throw new OffsetOutOfRangeException(name(), offset, startOffset(), endOffset());
        }
        try {
            List<SegmentName> names = segments();
            // Where the first segment is missing the start must be durable too: else a check finds a gap for ever.
            boolean gap = !names.isEmpty() && names.getFirst().base() > control.start();
            if (gap || SegmentList.floor(names, offset) > 0) {
                env.pressure().evenWhenFull(() -> checkpoint.writeStart(offset));
                control.raiseStart(offset);
                // Not by what the page says: others may have raised that without writing it down.
                deleteBelow(offset);
            } else {
                control.raiseStart(offset);
            }
        } catch (IOException e) {
            topic.checkNotDeleted();
            throw failure("trim", key.folder(), e);
        }
    }

    /** Whether some of these records could not be synced, and may be gone after a power cut. */
    public boolean hasLost(long firstOffset, long nextOffset) {
        try {
            return facts().lost().stream()
                    .anyMatch(range -> range.firstOffset() < nextOffset && range.nextOffset() > firstOffset);
        } catch (IOException e) {
            throw failure("read the checkpoint of", key.folder(), e);
        }
    }

    /**
     * Deletes whole segments by the topic's retention. Safe to run in two processes at once.
     *
     * @param now the time that retention goes by; empty if nothing may go because of its age
     * @return how long there is nothing more to do
     */
    public RetentionSchedule retain(OptionalLong now) {
        try {
            long written = control.writtenEnd();
            Retention retention = new Retention(this, now);
            env.pressure().evenWhenFull(() -> {
                if (!alone || retention.isDue()) {
                    share();
                    retention.run();
                }
                return null;
            });
            return new RetentionSchedule(control, settings(), written, retention.nextDueMs());
        } catch (IOException e) {
            throw failure("apply retention to", key.folder(), e);
        }
    }

    /** Syncs what is written, for topics that are synced by time. */
    public void flush() {
        if (control.writtenEnd() > control.durableEnd() && !env.readOnly()) {
            sync.upTo(control.writtenEnd());
        }
    }

    /** Makes the new start durable, then visible. */
    void raiseStart(long offset) throws IOException {
        if (offset > control.start()) {
            checkpoint.writeStart(offset);
            control.raiseStart(offset);
        }
    }

    /** Deletes segments all of whose records are below the start. The last segment stays. */
    void deleteBelowStart() throws IOException {
        deleteBelow(control.start());
    }

    private void deleteBelow(long start) throws IOException {
        List<SegmentName> names = SegmentList.read(env.disk(), key.folder(), Checkpoint.Facts.NONE);
        for (int i = 0; i + 1 < names.size() && names.get(i + 1).base() <= start; i++) {
            env.disk().delete(key.folder().resolve(names.get(i).logFile()));
            env.disk().delete(key.folder().resolve(names.get(i).indexFile()));
        }
        refreshSegments();
    }

    /** Which word of the wake page this partition raises. */
    public static int wakeWord(PartitionKey key) {
        return Waker.word(key);
    }

    // ---- for the parts of this package

    PartitionKey key() {
        return key;
    }

    LogEnvironment env() {
        return env;
    }

    ControlPage control() {
        return control;
    }

    Checkpoint checkpoint() {
        return checkpoint;
    }

    TopicSettings settings() {
        return topic.topic().settings();
    }

    /** Throws when the topic was deleted; whether the store was closed meanwhile does not matter here. */
    void checkNotDeleted() {
        if (topic.isDeleted()) {
            throw new TopicDeletedException(topic().name().value());
        }
    }

    /**
     * Writes down that what is not durable below this offset never will be: its sync failed. At {@code sync=commit}
     * nobody saw it and it is not delivered; at other levels it stays readable as long as the kernel keeps it.
     */
    void giveUp(long end) throws IOException {
        long durable = control.freezeDurableEnd();
        if (durable < end && settings().sync() == SyncLevel.COMMIT) {
            announceJournal(env.pressure().evenWhenFull(() -> checkpoint.writeLost(durable, end)));
        }
        control.thawDurableEnd(durable, Math.max(durable, end));
    }

    SegmentWriter writer() {
        return writer;
    }

    String name() {
        return key.isJournal() ? key.toString() : topic().name() + "-" + key.partition();
    }

    Path file(SegmentName segment) {
        return key.folder().resolve(segment.logFile());
    }

    Path indexFile(SegmentName segment) {
        return key.folder().resolve(segment.indexFile());
    }

    /** Whether records are visible as soon as they are written, so that a sync shows nobody anything new. */
    boolean showsUnsynced() {
        return topic.showsUnsynced();
    }

    /** Closes the segment that is written, so that the next record begins another one. */
    public void roll() {
        checkUsable();
        if (env.readOnly()) {
            throw new ReadOnlyException("begin a segment of " + key);
        }
        try {
            writer.rollIfOlderThan(Long.MAX_VALUE);
        } catch (IOException e) {
            topic.checkNotDeleted();
            throw failure("begin a segment of", key.folder(), e);
        }
    }

    /** Wakes all who wait for this log, in all processes, though nothing was appended. */
    public void wakeAll() {
        publish();
    }

    /** Something became visible to readers. */
    void publish() {
        env.waker().publish(wakeWord);
    }

    /** The records around this offset that readers pass over, since nobody ever saw them; null when there are none. */
    Checkpoint.Lost hiddenAt(long offset) throws IOException {
        return topic.showsLost() ? null : facts().lostAt(offset);
    }

    /** Where the next records begin that readers pass over; {@code Long.MAX_VALUE} when there are none. */
    long nextHidden(long offset) throws IOException {
        return topic.showsLost() ? Long.MAX_VALUE : facts().nextLost(offset);
    }

    /** What the journal says now. */
    Checkpoint.Facts facts() throws IOException {
        if (control.journalEnd() > facts.size()) {
            facts = checkpoint.read();
        }
        return facts;
    }

    /** Tells all processes to read the journal again. */
    void announceJournal(long size) throws IOException {
        control.raiseJournalEnd(size);
        facts = checkpoint.read();
    }

    /** The segments, read anew when any process began one or deleted some. */
    List<SegmentName> segments() {
        Segments known = segments;
        if (known.rolls() != control.rolls() || known.start() != control.start()) {
            return refreshSegments();
        }
        return known.names();
    }

    List<SegmentName> refreshSegments() {
        try {
            segments = readSegments();
            return segments.names();
        } catch (IOException e) {
            throw failure("list", key.folder(), e);
        }
    }

    private Segments readSegments() throws IOException {
        long rolls = control.rolls();
        long start = control.start();
        List<SegmentName> names = SegmentList.read(env.disk(), key.folder(), facts());
        int first = Math.max(0, SegmentList.floor(names, start));
        return new Segments(names.subList(Math.min(first, names.size()), names.size()), rolls, start);
    }

    /** The offset below which all records of this segment lie: they exist for certain. */
    long knownEnd(List<SegmentName> names, int i) {
        return i + 1 < names.size() ? names.get(i + 1).base() : control.writtenEnd();
    }

    void checkUsable() {
        // First: what is closed because it was deleted was deleted before.
        boolean wasClosed = closed;
        topic.checkNotDeleted();
        checkNotReplaced();
        if (wasClosed) {
            throw new StoreClosedException("the store of " + name());
        }
    }

    // ---- files that were removed or replaced

    /** What this process wrote must be on the page that others read. */
    private void lookForTheLastTime() {
        try {
            if (!env.readOnly()) {
                look();
            }
        } catch (MusterException e) {
            LOG.log(System.Logger.Level.DEBUG, "closing {0}: {1}", key, e.getMessage());
        }
    }

    /**
     * Called about once a second, and costs nothing unless the partition changed since the last call: looks whether the
     * folder, the control page and the files that this process wrote to still have their names, and closes files that
     * were trimmed away.
     */
    public void look() {
        if (alone || replaced != null || topic.isDeleted()) {
            return;
        }
        writer.letGoOfTrimmed();
        sync.letGoOfTrimmed();
        try {
            place.lookIfStirred(sync);
        } catch (IOException e) {
            throw failure("look at", key.folder(), e);
        }
    }

    /**
     * Whether all records of this segment were trimmed away, as far as this process has heard: mostly without a call of
     * the disk. The room of such a file is free when no process has it open any more.
     */
    boolean wasTrimmed(SegmentName name) {
        List<SegmentName> names = segments();
        return !names.isEmpty()
                && names.getFirst().compareTo(name) > 0
                && names.getFirst().base() <= control.start();
    }

    void lookAtTopic() throws IOException {
        topic.look();
        checkNotDeleted();
    }

    /** Another process may have taken the folder of a group by mistake: then it is put back, and nothing is lost. */
    void restoreFolder() throws IOException {
        topic.restoreFolder();
    }

    /** Throws when the folder was removed or replaced. */
    void checkFolder() throws IOException {
        place.checkFolder();
    }

    boolean pageIsInPlace() throws IOException {
        return place.pageIsInPlace();
    }

    void moveToPage() {
        try {
            place.moveToPage(sync);
        } catch (IOException e) {
            throw failure("look at", key.folder(), e);
        }
    }

    /** From now on this page tells where the partition ends. It knows at least what the page before did. */
    void use(ControlPage page) throws IOException {
        control = page;
        facts = checkpoint.read();
        refreshSegments();
        publish();
    }

    Recovery recovery() {
        return new Recovery(env.disk(), key, env.bootId(), env.readOnly(), topic.showsUnsynced());
    }

    @Override
    public boolean isReplaced() {
        return hasLostFiles() || topic.isDeleted();
    }

    /** True if a file or the folder was removed or replaced, other than by the deletion of the topic. */
    public boolean hasLostFiles() {
        return replaced != null;
    }

    /** Throws when files of this partition were removed or replaced. Costs nothing. */
    public void checkNotReplaced() {
        String what = replaced;
        if (what != null) {
            throw new LogReplacedException(what);
        }
    }

    /**
     * From now on this partition refuses everything: its offsets may stand for other records in the directory.
     *
     * @param what subject and verb: "… was removed"
     * @return the error for the caller
     */
    LogReplacedException replaced(String what) {
        boolean first = replaced == null;
        if (first) {
            replaced = what;
        }
        // A deleted topic loses its files too, and is none of this.
        if (first && !topic.isDeleted()) {
            LOG.log(System.Logger.Level.WARNING, "{0} while it was in use", what);
            giveUpUnacknowledged();
            publish();
        }
        return new LogReplacedException(what);
    }

    /**
     * From now on this partition refuses everything: its last records were cut off, and its offsets come again.
     *
     * @return the error for the caller
     */
    public LogReplacedException lostItsEnd(RuntimeException cause) {
        LogReplacedException lost = replaced("the end of the log in " + key.folder() + " was cut off");
        lost.addSuppressed(cause);
        return lost;
    }

    /**
     * Where only a segment went, the other processes have the same page: their records that are not durable went with
     * it. A process that has begun another segment since has done this already.
     */
    private void giveUpUnacknowledged() {
        try {
            Path page = ControlPage.file(key.folder(), env.bootId());
            List<SegmentName> names = refreshSegments();
            boolean others = !names.isEmpty() && names.getLast().base() > control.durableEnd();
            if (!others
                    && env.disk().exists(page)
                    && env.disk().identity(page).equals(control.identity())
                    && control.writtenEnd() > control.durableEnd()) {
                giveUp(control.writtenEnd());
            }
        } catch (IOException | MusterException e) {
            // The records stay between the durable and the written end: readers report them as missing.
            LOG.log(System.Logger.Level.DEBUG, "cannot give up what is left of {0}: {1}", key, e.getMessage());
        }
    }

    public TopicId topicId() {
        return key.topic();
    }

    /** Whether any process has deleted the topic. */
    public boolean isDeleted() {
        return topic.isDeleted();
    }

    RuntimeException failed(String what, IOException e) {
        return failure(what, key.folder(), e);
    }

    private static RuntimeException failure(String what, Path where, IOException e) {
        return failure(what + " " + where, e);
    }

    /** The error of the contract for a failure of the disk. */
    public static RuntimeException failure(String what, IOException e) {
        return switch (e) {
            case NoRoomException full -> new DiskFullException(full.getMessage(), full);
            case AccessDeniedException denied -> {
                String file = String.valueOf(denied.getFile());
                yield denied.getReason() == null
                        ? new PermissionDeniedException(what, file, denied)
                        : new ReadOnlyException(what.endsWith(file) ? what : what + " (" + file + ")");
            }
            case NoSuchFileException gone ->
                new StoreIoException("cannot " + what + ": " + gone.getFile() + " is gone", e);
            default -> new StoreIoException("cannot " + what + ": " + e.getMessage(), e);
        };
    }

    @Override
    public void close() {
        closed = true;
        lookForTheLastTime();
        publish();
        writer.close();
        sync.close();
    }
}
