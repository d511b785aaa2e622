package dev.muster.engine.partition;

import dev.muster.core.MusterException;
import dev.muster.engine.partition.RefusedBatchException.Reason;
import dev.muster.store.AppendConflictException;
import dev.muster.store.AppendOutcomeUnknownException;
import dev.muster.store.AppendPlace;
import dev.muster.store.DamagedLogException;
import dev.muster.store.FencedException;
import dev.muster.store.OffsetOutOfRangeException;
import dev.muster.store.PartitionAppender;
import dev.muster.store.PartitionLog;
import dev.muster.store.PendingAppend;
import dev.muster.store.SyncFailedException;
import dev.muster.store.batch.BatchHeader;
import dev.muster.store.batch.EncodedBatch;
import dev.muster.store.read.LogReader;
import dev.muster.store.read.LogSlice;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.zip.CRC32C;

/**
 * Appends the batches of clients to one partition. The check of an idempotent producer's batch and its append are one
 * step under a lock. That suffices if this server is the only process that writes such batches. If other servers may do
 * so, the batch is appended at the offset up to which the producers are known, or the check is repeated.
 *
 * <p>The states of producers are read from the log when the first such batch arrives. A note beside the log avoids
 * reading all of it:
 *
 * <pre>
 *   0  version           4   1
 *   4  leader epoch      4   of the log at the time of the note
 *   8  end offset        8   the note covers the log up to this offset
 *  16  producers             see {@link ProducerStates}
 *      crc               4   CRC-32C of everything before
 * </pre>
 */
public final class PartitionWriter {
    private static final System.Logger LOG = System.getLogger(PartitionWriter.class.getName());
    private static final String NOTE = "producers";
    private static final int NOTE_VERSION = 1;
    private static final int NOTE_HEAD = 16;
    private static final int READ_BYTES = 1 << 20;
    /** After this many bytes a new note is kept. It bounds the bytes that a restart reads again. */
    private static final long NOTE_EVERY_BYTES = 32L << 20;

    private static final int SETTLE_TRIES = 3;
    /** Attempts to append a batch while other writers are faster, or take the right to append away. */
    private static final int APPEND_TRIES = 100;

    /** The batch may get any offset. */
    private static final long ANYWHERE = -1;

    private static final int FORGET_ABOVE = 1_000;
    private static final Duration PRODUCER_EXPIRY = Duration.ofDays(1);

    private final PartitionLog log;
    private final LongSupplier nanoTime;
    private final boolean onlyWriter;
    /** Null if the right to append is not held. Guarded by this object's monitor. */
    private PartitionAppender appender;

    private final ReentrantLock lock = new ReentrantLock();
    /** Null if the states must be read from the log. */
    private ProducerStates states;

    private long statesEnd;
    private long unsavedBytes;
    private int forgetAbove = FORGET_ABOVE;
    /** The number of invalidations, and their number when the present note was made. */
    private long invalidations;

    private long invalidationsAtNote;
    /** Held while a note is written, so that notes are written one at a time. Taken before {@code lock}. */
    private final ReentrantLock noteLock = new ReentrantLock();

    /**
     * @param nanoTime the monotonic clock: a jump of the wall clock must not make known producers unknown
     * @param onlyWriter true if no other process appends batches of idempotent clients
     */
    PartitionWriter(PartitionLog log, LongSupplier nanoTime, boolean onlyWriter) {
        this.log = log;
        this.nanoTime = nanoTime;
        this.onlyWriter = onlyWriter;
    }

    /**
     * A writer for the log that follows a log whose files were removed or replaced. The note may contain batches that
     * were lost with these files and that their clients repeat, so it is not used.
     */
    static PartitionWriter afterReplaced(PartitionLog log, LongSupplier nanoTime, boolean onlyWriter) {
        PartitionWriter writer = new PartitionWriter(log, nanoTime, onlyWriter);
        writer.invalidations = 1;
        return writer;
    }

    public PartitionLog log() {
        return log;
    }

    /**
     * Appends a checked batch, or finds that it was appended before.
     *
     * @throws RefusedBatchException when its producer's sequence or epoch is wrong
     */
    public AppendResult append(EncodedBatch batch) {
        if (BatchHeader.producerId(batch.array(), batch.at()) == BatchHeader.NO_PRODUCER) {
            return place(batch, ANYWHERE);
        }
        lock.lock();
        try {
            for (int tries = 1; ; tries++) {
                try {
                    return judgeAndPlace(batch);
                } catch (AppendConflictException e) {
                    readOn();
                    if (tries == APPEND_TRIES) {
                        throw e;
                    }
                } catch (AppendOutcomeUnknownException e) {
                    // The log shows the outcome once it is read again: then the batch is a duplicate, or it is fresh.
                    states = null;
                    if (tries == APPEND_TRIES) {
                        throw e;
                    }
                }
            }
        } finally {
            lock.unlock();
        }
    }

    private AppendResult judgeAndPlace(EncodedBatch batch) {
        if (states == null) {
            load();
        }
        ProducerStates.Batch candidate = producerBatch(batch.array(), batch.at(), new AppendResult(-1, -1, -1));
        ProducerStates.Verdict verdict = states.judge(candidate);
        if (!onlyWriter && isRefusal(verdict)) {
            // Another server may have appended the batches in between.
            readOn();
            verdict = states.judge(candidate);
        }
        return switch (verdict) {
            case ProducerStates.Verdict.Duplicate(AppendResult placed) -> placed;
            case ProducerStates.Verdict.OutOfOrder(String why) ->
                throw new RefusedBatchException(Reason.OUT_OF_ORDER_SEQUENCE, why);
            case ProducerStates.Verdict.OldEpoch(String why) ->
                throw new RefusedBatchException(Reason.OLD_PRODUCER_EPOCH, why);
            case ProducerStates.Verdict.Fresh() -> {
                AppendResult placed = place(batch, onlyWriter ? ANYWHERE : statesEnd);
                remember(batch, placed);
                yield placed;
            }
        };
    }

    private static boolean isRefusal(ProducerStates.Verdict verdict) {
        return verdict instanceof ProducerStates.Verdict.OutOfOrder
                || verdict instanceof ProducerStates.Verdict.OldEpoch;
    }

    /** @param wanted the only offset that the batch may get, or {@link #ANYWHERE} */
    private AppendResult place(EncodedBatch batch, long wanted) {
        for (int tries = 1; ; tries++) {
            PartitionAppender held = appender();
            try {
                PendingAppend append = wanted == ANYWHERE ? held.append(batch) : held.appendAt(wanted, batch);
                AppendPlace place = append.place();
                return new AppendResult(place.baseOffset(), place.endOffset(), batch.maxTimestamp());
            } catch (FencedException e) {
                drop(held);
                if (tries == APPEND_TRIES) {
                    throw e;
                }
            } catch (AppendOutcomeUnknownException e) {
                drop(held);
                throw e;
            }
        }
    }

    private synchronized PartitionAppender appender() {
        if (appender == null) {
            appender = log.appender();
        }
        return appender;
    }

    private synchronized void drop(PartitionAppender lost) {
        if (appender == lost) {
            appender = null;
        }
        lost.close();
    }

    /** Gives the right to append back. */
    synchronized void close() {
        if (appender != null) {
            appender.close();
            appender = null;
        }
    }

    /** Learns what other writers appended since the states were read. */
    private void readOn() {
        long end = settle();
        if (end < statesEnd) {
            // The log lost batches that the states have.
            load();
        } else {
            read(states, statesEnd);
        }
    }

    private void remember(EncodedBatch batch, AppendResult placed) {
        states.add(producerBatch(batch.array(), batch.at(), placed), nanoTime.getAsLong());
        statesEnd = placed.endOffset();
        unsavedBytes += batch.size();
        if (states.producers() > forgetAbove) {
            forgetOld();
        }
    }

    private void forgetOld() {
        states.forget(nanoTime.getAsLong() - PRODUCER_EXPIRY.toNanos(), log.startOffset());
        forgetAbove = Math.max(FORGET_ABOVE, 2 * states.producers());
    }

    private static ProducerStates.Batch producerBatch(byte[] array, int at, AppendResult placed) {
        return new ProducerStates.Batch(
                BatchHeader.producerId(array, at),
                BatchHeader.producerEpoch(array, at),
                BatchHeader.baseSequence(array, at),
                BatchHeader.recordCount(array, at),
                placed);
    }

    /**
     * Drops the states after a failed sync, because appended batches may be lost; they are read from the log again. The
     * note may still contain lost batches, so it is emptied for the next writer.
     */
    public void invalidate() {
        lock.lock();
        try {
            states = null;
            invalidations++;
        } finally {
            lock.unlock();
        }
        dropInvalidNote();
    }

    /** Empties a note that this writer does not use, so that no later server uses it. */
    void dropInvalidNote() {
        if (!isNoteInvalid()) {
            return;
        }
        noteLock.lock();
        try {
            if (isNoteInvalid()) {
                log.keepNote(NOTE, new byte[0]);
            }
        } catch (MusterException e) {
            LOG.log(System.Logger.Level.DEBUG, "the note of {0} stays: {1}", log, e.getMessage());
        } finally {
            noteLock.unlock();
        }
    }

    private boolean isNoteInvalid() {
        lock.lock();
        try {
            return invalidations != invalidationsAtNote;
        } finally {
            lock.unlock();
        }
    }

    // ---- the note of producer states

    /** True if a restart would have to read much of the log. */
    public boolean wantsNote() {
        return unsavedBytes >= NOTE_EVERY_BYTES;
    }

    /** Writes the states of producers beside the log. */
    public void keepNote() {
        noteLock.lock();
        try {
            byte[] note;
            long invalidationsBefore;
            lock.lock();
            try {
                if (states == null || unsavedBytes == 0) {
                    return;
                }
                forgetOld();
                note = encode();
                unsavedBytes = 0;
                invalidationsBefore = invalidations;
            } finally {
                lock.unlock();
            }
            log.keepNote(NOTE, note);
            noteWasKept(invalidationsBefore);
        } finally {
            noteLock.unlock();
        }
    }

    private void noteWasKept(long invalidationsBefore) {
        lock.lock();
        try {
            invalidationsAtNote = invalidationsBefore;
        } finally {
            lock.unlock();
        }
    }

    private byte[] encode() {
        ByteBuffer out = ByteBuffer.allocate(NOTE_HEAD + states.sizeInBytes() + Integer.BYTES);
        out.putInt(NOTE_VERSION).putInt(log.leaderEpoch()).putLong(statesEnd);
        states.write(out);
        return out.putInt(crc(out.array(), out.position())).array();
    }

    private static int crc(byte[] bytes, int size) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, size);
        return (int) crc.getValue();
    }

    /** Reads the note, if it belongs to this log, and the log behind it. */
    private void load() {
        settle();
        ProducerStates loaded = new ProducerStates();
        long from = log.startOffset();
        byte[] note = invalidations == invalidationsAtNote ? log.note(NOTE).orElse(new byte[0]) : new byte[0];
        if (note.length > NOTE_HEAD + Integer.BYTES
                && crc(note, note.length - Integer.BYTES)
                        == ByteBuffer.wrap(note).getInt(note.length - Integer.BYTES)) {
            ByteBuffer in = ByteBuffer.wrap(note);
            boolean isOurs = in.getInt() == NOTE_VERSION && in.getInt() == log.leaderEpoch();
            long end = in.getLong();
            try {
                if (isOurs && end >= from && end <= log.endOffset()) {
                    loaded = ProducerStates.read(in, nanoTime.getAsLong());
                    from = end;
                }
            } catch (BufferUnderflowException e) {
                LOG.log(System.Logger.Level.DEBUG, "a note of {0} is too short", log);
            }
        }
        statesEnd = from;
        unsavedBytes = 0;
        read(loaded, from);
        states = loaded;
    }

    /**
     * Includes batches that a dead server wrote but did not announce or sync: our next append goes behind them, and
     * their producers may repeat them. After a failed sync the log is caught up again, which gives up the batches that
     * cannot be synced.
     */
    private long settle() {
        // Opening the right to append ends appends of earlier holders.
        appender();
        for (int tries = 1; ; tries++) {
            try {
                return log.settle();
            } catch (SyncFailedException e) {
                if (tries == SETTLE_TRIES) {
                    throw e;
                }
            }
        }
    }

    private void read(ProducerStates into, long from) {
        try (LogReader reader = log.reader(from)) {
            while (true) {
                try {
                    LogSlice slice = reader.read(READ_BYTES);
                    if (slice.isEmpty()) {
                        return;
                    }
                    addAll(into, slice.bytes());
                    statesEnd = slice.nextOffset();
                    unsavedBytes += slice.bytes().remaining();
                } catch (DamagedLogException e) {
                    reader.seek(e.nextOffset());
                } catch (OffsetOutOfRangeException e) {
                    // Retention trimmed the log meanwhile.
                    reader.seek(log.startOffset());
                }
            }
        }
    }

    private void addAll(ProducerStates into, ByteBuffer batches) {
        long now = nanoTime.getAsLong();
        byte[] array = batches.array();
        int end = batches.arrayOffset() + batches.limit();
        int at = batches.arrayOffset() + batches.position();
        while (at < end) {
            if (BatchHeader.producerId(array, at) != BatchHeader.NO_PRODUCER) {
                AppendResult placed = new AppendResult(
                        BatchHeader.baseOffset(array, at),
                        BatchHeader.endOffset(array, at),
                        BatchHeader.maxTimestamp(array, at));
                into.add(producerBatch(array, at, placed), now);
            }
            at += BatchHeader.sizeInBytes(array, at);
        }
    }
}
