package dev.muster.store.file.log;

import dev.muster.core.TopicSettings;
import dev.muster.disk.DiskFile;
import dev.muster.store.batch.EncodedBatch;
import dev.muster.store.file.log.recovery.Checkpoint;
import dev.muster.store.file.log.recovery.ControlPage;
import dev.muster.store.file.log.segment.ActiveSegment;
import dev.muster.store.file.log.segment.Mark;
import dev.muster.store.file.log.segment.SegmentName;
import dev.muster.store.file.log.segment.SparseIndex;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Appends to one partition on behalf of this process.
 *
 * <p>In the common case: lock the active segment's file, read what others added since, write the batch with one call,
 * publish the new end, unlock. The lock is a courtesy. A writer that does not get it, because its holder was stopped,
 * seals the segment and goes on in the next one. The holder, when it continues, finds its batch behind the seal and
 * repeats it there.
 */
final class SegmentWriter implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(SegmentWriter.class.getName());
    private static final long TURN_WAIT_NANOS = 2_000_000;

    /** A wish of {@link #append}: any offset will do. */
    static final long ANYWHERE = -1;

    /** An answer of {@link #append}: nothing was written, another record has the offset. */
    static final long TAKEN = -1;

    private final PartitionState log;
    private final ReentrantLock lock = new ReentrantLock();
    private final WrittenFiles written = new WrittenFiles();
    private ActiveSegment active;
    private DiskFile index;

    SegmentWriter(PartitionState log) {
        this.log = log;
    }

    /**
     * Gives the batch its place; see {@link dev.muster.store.PartitionLog#append}.
     *
     * @param wanted the only offset it may have, or {@link #ANYWHERE}
     * @return its offset, or {@link #TAKEN}
     */
    long append(EncodedBatch batch, long wanted) throws IOException {
        lock.lock();
        try {
            while (true) {
                log.checkUsable();
                ActiveSegment segment = active();
                if (segment == null) {
                    continue;
                }
                if (lockOrSeal(segment)) {
                    try {
                        if (place(segment, batch, wanted)) {
                            // Deleted in the meantime? Then it landed nowhere.
                            log.checkNotDeleted();
                            return batch.baseOffset();
                        }
                        if (isTaken(segment, wanted)) {
                            // By one that may have died before it said so: the caller must be able to read it.
                            if (log.control().raiseWrittenEnd(segment.nextOffset())) {
                                log.publish();
                            }
                            return TAKEN;
                        }
                    } finally {
                        release(segment);
                    }
                }
                // Without a seal no writer leaves a segment: others may still append there.
                if (active != null && segment.sealed()) {
                    advance(segment);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Announces what writers wrote and did not live to announce, and leaves a segment whose sync failed: what is in it
     * cannot become durable any more, and readers would wait for it until the next append.
     */
    void catchUp() throws IOException {
        lock.lock();
        try {
            while (!log.refreshSegments().isEmpty()) {
                log.checkUsable();
                ActiveSegment segment = active();
                if (segment == null) {
                    continue;
                }
                if (lockOrSeal(segment)) {
                    try {
                        segment.catchUp(writtenEnd(segment.name()));
                        if (log.control().raiseWrittenEnd(segment.nextOffset())) {
                            log.publish();
                        }
                        if (log.control().failed(segment.name())) {
                            sealIfOpen(segment);
                        }
                    } finally {
                        release(segment);
                    }
                }
                if (active == null) {
                    continue;
                }
                if (!segment.sealed()) {
                    return;
                }
                advance(segment);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Work that must not run beside an append of this process. */
    interface Exclusive {
        void run() throws IOException;
    }

    void exclusively(Exclusive work) throws IOException {
        lock.lock();
        try {
            work.run();
        } finally {
            lock.unlock();
        }
    }

    /** The files that this process has appended to. */
    WrittenFiles written() {
        return written;
    }

    /** Closes the segment if its newest record is older than the given time, so that retention can take it. */
    void rollIfOlderThan(long timeMs) throws IOException {
        lock.lock();
        try {
            ActiveSegment segment = active();
            if (segment == null) {
                return;
            }
            if (lockOrSeal(segment)) {
                try {
                    segment.catchUp(writtenEnd(segment.name()));
                    boolean due = segment.hasRecords() && segment.maxTimestamp() < timeMs;
                    if (!segment.sealed() && !due) {
                        return;
                    }
                    sealIfOpen(segment);
                } finally {
                    release(segment);
                }
            }
            if (active != null && segment.sealed()) {
                advance(segment);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Begins a segment at this offset, if that is where the log ends and the last segment holds records. */
    void beginSegmentAt(long offset) throws IOException {
        lock.lock();
        try {
            while (true) {
                ActiveSegment segment = active();
                if (segment == null) {
                    return;
                }
                if (lockOrSeal(segment)) {
                    try {
                        segment.catchUp(writtenEnd(segment.name()));
                        boolean due = segment.hasRecords() && segment.nextOffset() == offset;
                        if (!segment.sealed() && !due) {
                            return;
                        }
                        sealIfOpen(segment);
                    } finally {
                        release(segment);
                    }
                }
                if (active == null || !segment.sealed()) {
                    return;
                }
                // Others may have gone on from there: then this is not the last one yet.
                advance(segment);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Closes the segment that this process appended to last, if it was trimmed away. Does not wait for an append. */
    void letGoOfTrimmed() {
        if (!lock.tryLock()) {
            return;
        }
        try {
            if (active != null && log.wasTrimmed(active.name())) {
                close();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Lets go of the lock on the file. What was done under it is done, so this does not fail. */
    private void release(ActiveSegment segment) {
        try {
            segment.file().unlock();
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "cannot unlock {0}: {1}; closing it", segment, e.getMessage());
            segment.close();
            active = null;
        }
        log.control().passLockTurn();
    }

    private static boolean isTaken(ActiveSegment segment, long wanted) {
        return wanted != ANYWHERE && segment.nextOffset() > wanted;
    }

    /**
     * Under the file's lock: writes the batch, or seals the segment when it must not grow. False: the wanted offset is
     * taken, or try the next segment.
     */
    private boolean place(ActiveSegment segment, EncodedBatch batch, long wanted) throws IOException {
        segment.catchUp(writtenEnd(segment.name()));
        if (isTaken(segment, wanted)) {
            return false;
        }
        if (!segment.sealed() && mustRoll(segment, batch)) {
            sealIfOpen(segment);
        }
        if (segment.sealed()) {
            return false;
        }
        if (segment.empty()) {
            segment.append(mark(segment.name(), Mark.Kind.OPEN));
            if (segment.sealed() || segment.torn() || segment.openMark() == null) {
                return false;
            }
        }
        long base = segment.nextOffset();
        if (wanted != ANYWHERE && base != wanted) {
            if (base < wanted) {
                throw new IllegalArgumentException(
                        "offset " + wanted + " of " + log.name() + " is not the next one, " + base + " is");
            }
            return false;
        }
        long position = segment.position();
        long maxTimestampBefore = segment.maxTimestamp();
        batch.place(base, segment.openMark().leaderEpoch());
        // Before the write: a sync that sees the record must see its file.
        written.add(segment.name(), segment.identity());
        if (!segment.append(batch)) {
            return false;
        }
        log.control().raiseWrittenEnd(segment.nextOffset());
        writeIndex(segment.dueIndexEntry(
                position, base, maxTimestampBefore, log.settings().indexInterval()));
        return true;
    }

    private boolean mustRoll(ActiveSegment segment, EncodedBatch batch) throws IOException {
        if (segment.torn() || segment.damaged() || log.control().failed(segment.name())) {
            return true;
        }
        if (segment.empty()) {
            return false;
        }
        Mark open = segment.openMark();
        if (open == null
                || !open.bootId().equals(log.env().bootId())
                || open.leaderEpoch() != log.facts().leaderEpoch()) {
            // All of a segment is written within one boot: that tells recovery what a power cut may have harmed.
            return true;
        }
        TopicSettings settings = log.settings();
        boolean full = segment.position() + batch.size() > settings.segmentBytes();
        // This way round: an age of the largest long does not overflow.
        boolean old = log.env().clock().millis() - settings.segmentAge().toMillis() > open.timeMs();
        return segment.hasRecords() && (full || old);
    }

    private void sealIfOpen(ActiveSegment segment) throws IOException {
        if (!segment.sealed()) {
            segment.append(mark(segment.name(), Mark.Kind.SEAL));
        }
    }

    /**
     * Waits for the lock as long as other writers make progress. Without progress for too long, seals the segment
     * without it.
     */
    private boolean lockOrSeal(ActiveSegment segment) throws IOException {
        ControlPage control = log.control();
        long patience = log.env().lockPatience().toNanos();
        long deadline = log.env().disk().machine().nanoTime() + patience;
        long left = deadline;
        long progress = control.writtenEnd();
        while (true) {
            if (segment.file().tryLock()) {
                return true;
            }
            int turn = control.lockTurn();
            control.announceLockWaiter();
            // Again: a writer that released the lock before we registered as waiting did not wake us.
            if (segment.file().tryLock()) {
                return true;
            }
            long now = log.env().disk().machine().nanoTime();
            if (now >= left && isLeft(segment)) {
                // Others went on without the holder, and what they write there is no progress here.
                sealIfOpen(segment);
                return false;
            }
            left = now >= left ? now + patience : left;
            if (control.writtenEnd() != progress) {
                progress = control.writtenEnd();
                deadline = now + patience;
            } else if (now >= deadline) {
                LOG.log(System.Logger.Level.INFO, "the writer that holds {0} is stopped: going on without it", segment);
                sealIfOpen(segment);
                return false;
            }
            control.awaitLockTurn(turn, Math.min(TURN_WAIT_NANOS, deadline - now));
        }
    }

    private boolean isLeft(ActiveSegment segment) throws IOException {
        return log.refreshSegments().stream().anyMatch(name -> name.compareTo(segment.name()) > 0);
    }

    /** The segment is sealed: goes on in the one that follows, which any process may have begun already. */
    private void advance(ActiveSegment sealed) throws IOException {
        if (!sealed.sealed()) {
            sealed.catchUp(writtenEnd(sealed.name()));
        }
        long nextOffset = sealed.nextOffset();
        log.control().raiseWrittenEnd(nextOffset);
        giveUpIfSyncFailed(sealed, nextOffset);
        long knownEnd = log.control().writtenEnd();
        SegmentName next = null;
        for (SegmentName name : log.refreshSegments()) {
            if (next != null) {
                // Others are further ahead already: the one we go to ends where this one begins.
                knownEnd = Math.min(knownEnd, name.base());
                break;
            }
            if (name.compareTo(sealed.name()) > 0) {
                next = name;
            }
        }
        if (next == null) {
            // A power cut may take the last name, never one before it: else the log would have a hole.
            log.env().disk().syncFolder(log.key().folder());
            next = successor(sealed.name(), nextOffset);
        }
        closeIndex(sealed, nextOffset);
        try {
            open(next, knownEnd);
        } finally {
            if (active != sealed) {
                sealed.close();
            }
        }
    }

    /** Below this offset all of a segment's records were written to their end, as their writers published. */
    private long writtenEnd(SegmentName name) {
        // The end first: where it counts records of a later segment, that one is listed.
        long written = log.control().writtenEnd();
        List<SegmentName> names = log.segments();
        if (names.isEmpty() || names.getLast().equals(name)) {
            return written;
        }
        int next = names.indexOf(name) + 1;
        return Math.min(written, names.get(next).base());
    }

    private SegmentName successor(SegmentName sealed, long nextOffset) throws IOException {
        Checkpoint.Facts facts = log.facts();
        if (facts.cutOf(sealed) == Long.MAX_VALUE) {
            return sealed.successor(nextOffset);
        }
        Checkpoint.Cut cut = facts.cuts().getLast();
        return new SegmentName(cut.offset(), cut.generation());
    }

    /**
     * What could not be synced was never acknowledged. At {@code sync=commit} it was never visible either and is given
     * up.
     */
    private void giveUpIfSyncFailed(ActiveSegment sealed, long nextOffset) throws IOException {
        if (log.control().failed(sealed.name())) {
            log.giveUp(nextOffset);
        }
    }

    /** The segment to append to; null when the one that was last is so no more: look again. */
    private ActiveSegment active() throws IOException {
        if (active == null) {
            // Taken before the listing: in what is listed, records below this exist.
            long knownEnd = log.control().writtenEnd();
            List<SegmentName> names = log.refreshSegments();
            SegmentName last = names.isEmpty() ? null : names.getLast();
            if (last != null && log.facts().cutOf(last) == Long.MAX_VALUE) {
                open(last, knownEnd);
            } else {
                // What was cut needs no seal: the cut says where it ends.
                open(last == null ? first(knownEnd) : successor(last, last.base()), knownEnd);
            }
        }
        return active;
    }

    /**
     * The name of the first segment there is.
     *
     * @param knownEnd taken before the listing that showed none: by now another process may have begun one and written
     *     to it, and a segment that begins behind its records would cut it in two
     */
    private SegmentName first(long knownEnd) throws IOException {
        List<Checkpoint.Cut> cuts = log.facts().cuts();
        return new SegmentName(knownEnd, cuts.isEmpty() ? 0 : cuts.getLast().generation());
    }

    private void open(SegmentName name, long knownEnd) throws IOException {
        DiskFile file = log.env().disk().openForAppend(log.file(name));
        // Before anything is written there: every process that syncs must list it. The writer that began it may have
        // died
        // before it published it.
        log.control().countRoll();
        try {
            SparseIndex.Entry from = lastCheckedEntry(name, file, knownEnd);
            active = new ActiveSegment(log.key(), name, file, from, knownEnd);
        } catch (IOException e) {
            file.close();
            throw e;
        }
        if (index != null) {
            index.close();
            index = null;
        }
        letGoIfNotLast(name);
    }

    /**
     * Between the look at the names and the opening, others may have gone on and retention may have deleted the file:
     * then ours is a new and empty one under an old name. A segment begins only behind a seal, and the last one is
     * never deleted; so what is neither sealed nor last must not be appended to.
     */
    private void letGoIfNotLast(SegmentName name) throws IOException {
        List<SegmentName> now;
        try {
            active.catchUp(writtenEnd(name));
            now = log.refreshSegments();
        } catch (IOException | RuntimeException e) {
            active.close();
            active = null;
            throw e;
        }
        if (!active.sealed() && (now.isEmpty() || !now.getLast().equals(name))) {
            active.close();
            active = null;
        }
    }

    private SparseIndex.Entry lastCheckedEntry(SegmentName name, DiskFile file, long knownEnd) throws IOException {
        SparseIndex known = SparseIndex.load(log.env().disk(), log.indexFile(name));
        for (int i = known.size() - 1; i >= 0; i--) {
            SparseIndex.Entry entry = known.get(i);
            // An index may have outlived what a power cut took before it.
            if (entry.offset() <= knownEnd && SparseIndex.agrees(file, entry)) {
                return entry;
            }
        }
        return null;
    }

    private Mark mark(SegmentName name, Mark.Kind kind) throws IOException {
        return new Mark(
                kind,
                log.key().topic().value(),
                log.key().partition(),
                name,
                log.facts().leaderEpoch(),
                log.env().bootId(),
                log.env().clock().millis());
    }

    /** The index is a convenience: an append does not fail because its index could not be written. */
    private void writeIndex(SparseIndex.Entry entry) {
        if (entry == null) {
            return;
        }
        Path file = log.indexFile(active.name());
        try {
            if (index == null) {
                index = log.env().disk().openForAppend(file);
            }
            byte[] bytes = SparseIndex.encode(entry);
            index.append(bytes, 0, bytes.length);
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "cannot write {0}: {1}; it will be rebuilt", file, e.getMessage());
        }
    }

    private void closeIndex(ActiveSegment sealed, long nextOffset) {
        writeIndex(new SparseIndex.Entry(nextOffset, sealed.position(), sealed.maxTimestamp(), true));
        if (index != null) {
            index.close();
            index = null;
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            if (active != null) {
                active.close();
                active = null;
            }
            if (index != null) {
                index.close();
                index = null;
            }
        } finally {
            lock.unlock();
        }
    }
}
