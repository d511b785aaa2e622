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
import dev.muster.store.file.log.segment.PartitionKey;
import dev.muster.store.file.log.segment.SegmentName;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The state that the parts of an open partition share: the segments, the control page, the checkpoint, and the reason
 * if files were removed or replaced. {@link SegmentWriter}, {@link SegmentSync} and {@link FileLogReader} use it to
 * append, sync and read. Safe for many threads.
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
    /** The removal or replacement of a file, as the subject and verb of a sentence; null as long as there was none. */
    private volatile String replaced;

    private volatile Checkpoint.Facts facts;
    private final LogSegments segments;
    // The time of the last look for the page, in a process that may only read or had no room for the page; 0 in others.
    private volatile long lookedForPageNanos;
    // True if there was no room for the shared page: the page in use belongs to this process only, and nothing was
    // written yet.
    private volatile boolean alone;
    private final ReentrantLock sharing = new ReentrantLock();
    private volatile boolean closed;

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
        this.lookedForPageNanos = alone || env.readOnly() ? env.runtime().nanoTime() : 0;
        this.segments = new LogSegments(this);
        this.writer = new SegmentWriter(this);
        this.sync = new SegmentSync(this);
    }

    // ---- the shared page

    /**
     * Creates the page that all processes share, if there was no room for it when the partition was opened. Called
     * before this process writes or syncs.
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
                segments.refresh();
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
        if ((alone || env.readOnly()) && env.runtime().nanoTime() - lookedForPageNanos > LOOK_AGAIN_NANOS) {
            lookForPage();
        }
        long end = topic.showsUnsynced() ? control.writtenEnd() : control.durableEnd();
        return Math.max(end, control.start());
    }

    /**
     * Looks for the shared page. A process that may only read creates no page, and uses the one that has the name as
     * soon as there is one.
     */
    private void lookForPage() {
        lookedForPageNanos = env.runtime().nanoTime();
        try {
            if (!place.pageIsInPlace()) {
                ControlPage shared =
                        ControlPage.openExisting(env.disk(), ControlPage.file(key.folder(), env.bootId()), true);
                if (shared != null && alone) {
                    share();
                } else if (shared != null) {
                    control = shared;
                    facts = checkpoint.read();
                    segments.refresh();
                }
            }
        } catch (NoRoomException e) {
            // There was no room for the page of the topic. The next look comes in a second.
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

    /** Closes the files. The shared page then has everything that other processes must know. */
    void close() {
        closed = true;
        checkBeforeClosing();
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

    /** True if records are visible as soon as they are written, so that a sync makes no further record visible. */
    boolean showsUnsynced() {
        return topic.showsUnsynced();
    }

    /** Throws if the topic was deleted. Does not throw if the store was closed. */
    void checkNotDeleted() {
        if (topic.isDeleted()) {
            throw new TopicDeletedException(topic.topic().name().value());
        }
    }

    void checkUsable() {
        // Read first: a partition that was closed because of a deletion was deleted before that.
        boolean wasClosed = closed;
        topic.checkNotDeleted();
        checkNotReplaced();
        if (wasClosed) {
            throw new StoreClosedException("the store of " + name());
        }
    }

    // ---- records

    /** Wakes readers after records became visible. */
    void publish() {
        env.waker().publish(wakeWord);
    }

    /**
     * The range of records around this offset that readers skip, because no reader ever saw them; null if there is
     * none.
     */
    Checkpoint.Lost hiddenAt(long offset) throws IOException {
        return topic.showsLost() ? null : facts().lostAt(offset);
    }

    /** The offset of the next records that readers skip; {@code Long.MAX_VALUE} if there are none. */
    long nextHidden(long offset) throws IOException {
        return topic.showsLost() ? Long.MAX_VALUE : facts().nextLost(offset);
    }

    // ---- the journal of the checkpoint

    /** The facts in the checkpoint's journal now. */
    Checkpoint.Facts facts() throws IOException {
        if (control.journalEnd() > facts.size()) {
            facts = checkpoint.read();
        }
        return facts;
    }

    /** Makes all processes read the journal again. */
    void announceJournal(long size) throws IOException {
        control.raiseJournalEnd(size);
        facts = checkpoint.read();
    }

    /**
     * Records that the records below this offset that are not durable never will be, because their sync failed. At
     * {@code sync=commit} no reader saw them and they are not delivered. At other levels they stay readable as long as
     * the kernel keeps them.
     */
    void giveUp(long end) throws IOException {
        long durable = control.freezeDurableEnd();
        if (durable < end && settings().sync() == SyncLevel.COMMIT) {
            announceJournal(env.pressure().evenWhenFull(() -> checkpoint.writeLost(durable, end)));
        }
        control.thawDurableEnd(durable, Math.max(durable, end));
    }

    // ---- segments

    LogSegments segments() {
        return segments;
    }

    /** Makes the new start durable and then visible. */
    void raiseStart(long offset) throws IOException {
        if (offset > control.start()) {
            checkpoint.writeStart(offset);
            control.raiseStart(offset);
        }
    }

    // ---- files that were removed or replaced

    /** Makes sure that the page that other processes read has everything that this process wrote. */
    private void checkBeforeClosing() {
        try {
            if (!env.readOnly()) {
                look();
            }
        } catch (MusterException e) {
            LOG.log(System.Logger.Level.DEBUG, "closing {0}: {1}", key, e.getMessage());
        }
    }

    /**
     * Checks that the folder, the control page and the files that this process wrote to still have their names, and
     * closes files that were trimmed away. Called about once a second; costs nothing if the partition has not changed
     * since the last call.
     */
    void look() {
        if (alone || replaced != null || topic.isDeleted()) {
            return;
        }
        writer.closeTrimmed();
        sync.closeTrimmed();
        try {
            place.checkIfChanged(sync);
        } catch (IOException e) {
            throw failed("look at", e);
        }
    }

    void lookAtTopic() throws IOException {
        topic.look();
        checkNotDeleted();
    }

    /** Restores the folder of a group if another process moved it away by mistake. Nothing is lost then. */
    void restoreFolder() throws IOException {
        topic.restoreFolder();
    }

    /** Throws if the folder was removed or replaced. */
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

    /** Uses this page from now on. Its ends are not below those of the page before. */
    void use(ControlPage page) throws IOException {
        control = page;
        facts = checkpoint.read();
        segments.refresh();
        publish();
    }

    Recovery recovery() {
        return new Recovery(env.disk(), key, env.bootId(), env.readOnly(), topic.showsUnsynced());
    }

    /** True if a file or the folder was removed or replaced, other than by the deletion of the topic. */
    boolean hasLostFiles() {
        return replaced != null;
    }

    /** Throws if files of this partition were removed or replaced. Costs nothing. */
    void checkNotReplaced() {
        String what = replaced;
        if (what != null) {
            throw new LogReplacedException(what);
        }
    }

    /**
     * Makes this partition refuse everything from now on, because its offsets may belong to other records in the
     * directory.
     *
     * @param what the subject and verb of the message: "… was removed"
     * @return the error for the caller
     */
    LogReplacedException replaced(String what) {
        boolean first = replaced == null;
        if (first) {
            replaced = what;
        }
        // A deleted topic loses its files too, and that is no replacement.
        if (first && !topic.isDeleted()) {
            LOG.log(System.Logger.Level.WARNING, "{0} while it was in use", what);
            giveUpUnacknowledged();
            publish();
        }
        return new LogReplacedException(what);
    }

    /**
     * Makes this partition refuse everything from now on, because its last records were cut off and their offsets will
     * be used again.
     *
     * @return the error for the caller
     */
    LogReplacedException lostItsEnd(RuntimeException cause) {
        LogReplacedException lost = replaced("the end of the log in " + key.folder() + " was cut off");
        lost.addSuppressed(cause);
        return lost;
    }

    /**
     * Gives up the records that are not durable. If only a segment is gone, the other processes have the same page, and
     * their records that are not durable are gone with it. If a process has begun another segment since, it has done
     * this already.
     */
    private void giveUpUnacknowledged() {
        try {
            Path page = ControlPage.file(key.folder(), env.bootId());
            List<SegmentName> names = segments.refresh();
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
