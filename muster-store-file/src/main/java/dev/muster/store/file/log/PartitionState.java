package dev.muster.store.file.log;

import dev.muster.core.MusterException;
import dev.muster.core.SyncLevel;
import dev.muster.core.TopicSettings;
import dev.muster.disk.NoRoomException;
import dev.muster.store.LogReplacedException;
import dev.muster.store.StoreClosedException;
import dev.muster.store.TopicDeletedException;
import dev.muster.store.file.log.recovery.Checkpoint;
import dev.muster.store.file.log.recovery.ControlPage;
import dev.muster.store.file.log.recovery.Recovery;
import dev.muster.store.file.log.recovery.SegmentList;
import dev.muster.store.file.log.segment.PartitionKey;
import dev.muster.store.file.log.segment.SegmentName;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What the parts of an open partition share: which segments there are, what the control page and the checkpoint say,
 * and whether files were removed or replaced. {@link SegmentWriter} appends by it, {@link SegmentSync} syncs,
 * {@link FileLogReader} reads. Safe for many threads.
 */
final class PartitionState {
    private static final long LOOK_AGAIN_NANOS = 1_000_000_000;
    private static final System.Logger LOG = System.getLogger(PartitionState.class.getName());

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

    PartitionState(PartitionKey key, TopicView topic, LogEnvironment env, PartitionOpening.Opened opened, boolean alone)
            throws IOException {
        this.key = key;
        this.topic = topic;
        this.env = env;
        this.control = opened.control();
        this.checkpoint = new Checkpoint(env.disk(), key.folder());
        this.facts = opened.facts();
        this.wakeWord = Waker.word(key);
        this.place = new PartitionPlace(this);
        this.alone = alone;
        this.segments = readSegments();
        this.writer = new SegmentWriter(this);
        this.sync = new SegmentSync(this);
    }

    // ---- the shared page

    /**
     * Makes the page that all processes share, where there was no room for it when the partition was opened. Comes
     * before anything is written or synced here.
     */
    void share() throws IOException {
        if (!alone) {
            return;
        }
        sharing.lock();
        try {
            if (alone) {
                topic.share();
                PartitionOpening.Opened shared = PartitionOpening.openShared(key, topic, env);
                facts = shared.facts();
                control = shared.control();
                alone = false;
                refreshSegments();
            }
        } finally {
            sharing.unlock();
        }
    }

    void shareEvenWhenFull() {
        if (alone) {
            try {
                env.pressure().evenWhenFull(() -> {
                    share();
                    return null;
                });
            } catch (IOException e) {
                throw failed("open", e);
            }
        }
    }

    long startOffset() {
        return control.start();
    }

    long endOffset() {
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
            throw failed("read", e);
        }
    }

    // ---- what the parts of the partition know of each other

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

    SegmentSync syncs() {
        return sync;
    }

    TopicView topicView() {
        return topic;
    }

    int wakeWord() {
        return wakeWord;
    }

    /** True if this process has the page in its own memory, because there was no room for the shared one. */
    boolean isAlone() {
        return alone;
    }

    boolean isClosed() {
        return closed;
    }

    /** Closes the files. What the page of other processes must know is on it then. */
    void close() {
        closed = true;
        lookForTheLastTime();
        publish();
        writer.close();
        sync.close();
    }

    SegmentWriter writer() {
        return writer;
    }

    String name() {
        return key.isJournal() ? key.toString() : topic.topic().name() + "-" + key.partition();
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

    /** Throws when the topic was deleted; whether the store was closed meanwhile does not matter here. */
    void checkNotDeleted() {
        if (topic.isDeleted()) {
            throw new TopicDeletedException(topic.topic().name().value());
        }
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

    // ---- records

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

    long sizeBytes() {
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

    // ---- the journal of the checkpoint

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

    // ---- segments

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
            throw failed("list", e);
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

    void deleteBelow(long start) throws IOException {
        List<SegmentName> names = SegmentList.read(env.disk(), key.folder(), Checkpoint.Facts.NONE);
        for (int i = 0; i + 1 < names.size() && names.get(i + 1).base() <= start; i++) {
            env.disk().delete(key.folder().resolve(names.get(i).logFile()));
            env.disk().delete(key.folder().resolve(names.get(i).indexFile()));
        }
        refreshSegments();
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
    void look() {
        if (alone || replaced != null || topic.isDeleted()) {
            return;
        }
        writer.letGoOfTrimmed();
        sync.letGoOfTrimmed();
        try {
            place.lookIfStirred(sync);
        } catch (IOException e) {
            throw failed("look at", e);
        }
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
            throw failed("look at", e);
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

    /** True if a file or the folder was removed or replaced, other than by the deletion of the topic. */
    boolean hasLostFiles() {
        return replaced != null;
    }

    /** Throws when files of this partition were removed or replaced. Costs nothing. */
    void checkNotReplaced() {
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
    LogReplacedException lostItsEnd(RuntimeException cause) {
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

    boolean isDeleted() {
        return topic.isDeleted();
    }

    /** The error of the contract for a failure of the disk in this partition's folder. */
    RuntimeException failed(String what, IOException e) {
        return DiskErrors.of(what + " " + key.folder(), e);
    }
}
