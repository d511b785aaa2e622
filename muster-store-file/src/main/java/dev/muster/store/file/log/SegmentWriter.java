package dev.muster.store.file.log;

import dev.muster.core.TopicSettings;
import dev.muster.store.batch.EncodedBatch;
import dev.muster.store.file.log.recovery.ControlPage;
import dev.muster.store.file.log.segment.ActiveSegment;
import dev.muster.store.file.log.segment.Mark;
import java.io.IOException;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Appends to one partition on behalf of this process.
 *
 * <p>In the common case: lock the active segment's file, read what others added since, write the batch with one call,
 * publish the new end, unlock. The lock only avoids needless work. A writer that does not get it, because its holder
 * was stopped, seals the segment and goes on in the next one. The holder, when it continues, finds its batch behind the
 * seal and repeats it there.
 */
final class SegmentWriter implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(SegmentWriter.class.getName());
    private static final long TURN_WAIT_NANOS = 2_000_000;

    /** The argument of {@link #append} for a batch that may have any offset. */
    static final long ANYWHERE = -1;

    /** The result of {@link #append} if another record has the offset. Nothing was written. */
    static final long TAKEN = -1;

    /** The result of one attempt if the batch has no place yet, and the caller must try again. */
    private static final long NO_PLACE_YET = -2;

    private final PartitionState log;
    private final ReentrantLock lock = new ReentrantLock();
    private final WrittenFiles written = new WrittenFiles();
    private final LastSegment last;

    SegmentWriter(PartitionState log) {
        this.log = log;
        this.last = new LastSegment(log);
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
            long offset;
            do {
                log.checkUsable();
                offset = attempt(batch, wanted);
            } while (offset == NO_PLACE_YET);
            return offset;
        } finally {
            lock.unlock();
        }
    }

    private long attempt(EncodedBatch batch, long wanted) throws IOException {
        ActiveSegment segment = last.open();
        if (segment == null) {
            return NO_PLACE_YET;
        }
        if (lockOrSeal(segment)) {
            try {
                long offset = appendLocked(segment, batch, wanted);
                if (offset != NO_PLACE_YET) {
                    return offset;
                }
            } finally {
                release(segment);
            }
        }
        advanceIfSealed(segment);
        return NO_PLACE_YET;
    }

    private long appendLocked(ActiveSegment segment, EncodedBatch batch, long wanted) throws IOException {
        if (place(segment, batch, wanted)) {
            // If the topic was deleted meanwhile, the batch is in no log.
            log.checkNotDeleted();
            return batch.baseOffset();
        }
        if (isTaken(segment, wanted)) {
            // The writer of that record may have died before it announced it, and the caller must be able to read it.
            announceWrittenEnd(segment);
            return TAKEN;
        }
        return NO_PLACE_YET;
    }

    private void announceWrittenEnd(ActiveSegment segment) {
        if (log.control().raiseWrittenEnd(segment.nextOffset())) {
            log.publish();
        }
    }

    /** Goes on to the next segment. A writer leaves no segment without a seal: other processes may append to it. */
    private void advanceIfSealed(ActiveSegment segment) throws IOException {
        if (last.isOpen() && segment.sealed()) {
            last.advance(segment);
        }
    }

    /**
     * Announces records whose writers died before they announced them. Leaves a segment whose sync failed: its records
     * cannot become durable any more, and readers would wait for them until the next append.
     */
    void catchUp() throws IOException {
        lock.lock();
        try {
            while (!log.segments().refresh().isEmpty()) {
                log.checkUsable();
                ActiveSegment segment = last.open();
                if (segment == null) {
                    continue;
                }
                underFileLock(segment, () -> catchUpLocked(segment));
                if (!last.isOpen()) {
                    continue;
                }
                if (!segment.sealed()) {
                    return;
                }
                last.advance(segment);
            }
        } finally {
            lock.unlock();
        }
    }

    private void catchUpLocked(ActiveSegment segment) throws IOException {
        last.catchUp(segment);
        announceWrittenEnd(segment);
        if (log.control().failed(segment.name())) {
            last.sealIfOpen(segment);
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
            ActiveSegment segment = last.open();
            if (segment == null) {
                return;
            }
            underFileLock(segment, () -> {
                last.catchUp(segment);
                if (segment.hasRecords() && segment.maxTimestamp() < timeMs) {
                    last.sealIfOpen(segment);
                }
            });
            advanceIfSealed(segment);
        } finally {
            lock.unlock();
        }
    }

    /** Begins a segment at this offset, if that is where the log ends and the last segment holds records. */
    void beginSegmentAt(long offset) throws IOException {
        lock.lock();
        try {
            while (true) {
                ActiveSegment segment = last.open();
                if (segment == null) {
                    return;
                }
                underFileLock(segment, () -> sealIfEndsAt(segment, offset));
                if (!last.isOpen() || !segment.sealed()) {
                    return;
                }
                // Other processes may have gone on from there: then this is not the last segment yet.
                last.advance(segment);
            }
        } finally {
            lock.unlock();
        }
    }

    private void sealIfEndsAt(ActiveSegment segment, long offset) throws IOException {
        last.catchUp(segment);
        if (segment.hasRecords() && segment.nextOffset() == offset) {
            last.sealIfOpen(segment);
        }
    }

    /** Closes the segment that this process appended to last, if it was trimmed away. Does not wait for an append. */
    void closeTrimmed() {
        if (!lock.tryLock()) {
            return;
        }
        try {
            if (last.isTrimmed()) {
                close();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Runs the work under the lock on the file. Does not run it if the segment was sealed without the lock. */
    private void underFileLock(ActiveSegment segment, Exclusive work) throws IOException {
        if (lockOrSeal(segment)) {
            try {
                work.run();
            } finally {
                release(segment);
            }
        }
    }

    /** Releases the lock on the file. It does not fail, because the work under the lock is done. */
    private void release(ActiveSegment segment) {
        try {
            segment.file().unlock();
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "cannot unlock {0}: {1}; closing it", segment, e.getMessage());
            last.closeSegment();
        }
        log.control().passLockTurn();
    }

    private static boolean isTaken(ActiveSegment segment, long wanted) {
        return wanted != ANYWHERE && segment.nextOffset() > wanted;
    }

    /**
     * Writes the batch, or seals the segment if it must not grow. Called under the lock on the file.
     *
     * @return false if the wanted offset is taken, or the batch must go to the next segment
     */
    private boolean place(ActiveSegment segment, EncodedBatch batch, long wanted) throws IOException {
        last.catchUp(segment);
        if (isTaken(segment, wanted)) {
            return false;
        }
        if (!segment.sealed() && mustRoll(segment, batch)) {
            last.sealIfOpen(segment);
        }
        if (segment.sealed()) {
            return false;
        }
        if (segment.empty()) {
            last.begin(segment);
            if (segment.sealed() || segment.torn() || segment.openMark() == null) {
                return false;
            }
        }
        long base = segment.nextOffset();
        if (wanted != ANYWHERE && base != wanted) {
            if (base < wanted) {
                throw new OffsetAboveEndException(
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
        last.writeIndex(
                segment,
                segment.dueIndexEntry(
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

    /**
     * Waits for the lock as long as other writers make progress. Without progress for too long, seals the segment
     * without it.
     */
    private boolean lockOrSeal(ActiveSegment segment) throws IOException {
        ControlPage control = log.control();
        long patience = log.env().lockPatience().toNanos();
        long deadline = log.env().runtime().nanoTime() + patience;
        long nextCheck = deadline;
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
            long now = log.env().runtime().nanoTime();
            if (now >= nextCheck && isLeft(segment)) {
                // Others went on without the holder, and what they write there is no progress here.
                last.sealIfOpen(segment);
                return false;
            }
            nextCheck = now >= nextCheck ? now + patience : nextCheck;
            if (control.writtenEnd() != progress) {
                progress = control.writtenEnd();
                deadline = now + patience;
            } else if (now >= deadline) {
                LOG.log(
                        System.Logger.Level.INFO,
                        "the writer that holds {0} is stopped: continuing without it",
                        segment);
                last.sealIfOpen(segment);
                return false;
            }
            control.awaitLockTurn(turn, Math.min(TURN_WAIT_NANOS, deadline - now));
        }
    }

    private boolean isLeft(ActiveSegment segment) throws IOException {
        return log.segments().refresh().stream().anyMatch(name -> name.compareTo(segment.name()) > 0);
    }

    @Override
    public void close() {
        lock.lock();
        try {
            last.close();
        } finally {
            lock.unlock();
        }
    }
}
