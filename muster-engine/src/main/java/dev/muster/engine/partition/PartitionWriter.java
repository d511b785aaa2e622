package dev.muster.engine.partition;

import dev.muster.core.MusterException;
import dev.muster.core.SyncLevel;
import dev.muster.engine.partition.RefusedBatchException.Reason;
import dev.muster.store.DamagedLogException;
import dev.muster.store.LogReader;
import dev.muster.store.LogSlice;
import dev.muster.store.OffsetOutOfRangeException;
import dev.muster.store.PartitionLog;
import dev.muster.store.SyncFailedException;
import dev.muster.store.batch.BatchHeader;
import dev.muster.store.batch.EncodedBatch;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.zip.CRC32C;

/**
 * Appends the batches of clients to one partition. Judging a batch of an idempotent producer and appending it is one
 * step: this server is the only one that writes such batches, and here they take turns.
 *
 * <p>What is known of producers is read from the log when the first such batch comes; a note beside the log saves
 * reading all of it:
 *
 * <pre>
 *   0  version           4   1
 *   4  leader epoch      4   of the log when the note was made
 *   8  end offset        8   of the part of the log that is in the note
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
    /** After so many bytes a new note is kept: what a restart has to read again. */
    private static final long NOTE_EVERY_BYTES = 32L << 20;

    private static final int SETTLE_TRIES = 3;
    private static final int PRODUCERS_LOOK = 1_000;
    private static final Duration PRODUCER_EXPIRY = Duration.ofDays(1);

    private final PartitionLog log;
    private final LongSupplier nanoTime;
    private final ReentrantLock lock = new ReentrantLock();
    /** Null: to be read from the log. */
    private ProducerStates book;

    private long bookedEnd;
    private long unsavedBytes;
    private int lookAtProducers = PRODUCERS_LOOK;
    /** How often there was doubt, and how often there had been when the note was made that is kept now. */
    private long doubts;

    private long doubtsBeforeNote;
    /** Held while a note is written: one at a time. Taken before the other lock. */
    private final ReentrantLock noting = new ReentrantLock();

    /** @param nanoTime the monotonic clock: a jump of the wall clock must not make known producers unknown */
    PartitionWriter(PartitionLog log, LongSupplier nanoTime) {
        this.log = log;
        this.nanoTime = nanoTime;
    }

    /**
     * A writer to the log that is there after files of the one before were removed or replaced. The note may tell of
     * batches that went with these files; their clients repeat them.
     */
    static PartitionWriter afterReplaced(PartitionLog log, LongSupplier nanoTime) {
        PartitionWriter writer = new PartitionWriter(log, nanoTime);
        writer.doubts = 1;
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
            return place(batch);
        }
        lock.lock();
        try {
            if (book == null) {
                load();
            }
            ProducerStates.Batch asked = booked(batch.array(), batch.at(), new AppendResult(-1, -1, -1));
            return switch (book.judge(asked)) {
                case ProducerStates.Verdict.Duplicate(AppendResult placed) -> placed;
                case ProducerStates.Verdict.OutOfOrder(String why) ->
                    throw new RefusedBatchException(Reason.OUT_OF_ORDER_SEQUENCE, why);
                case ProducerStates.Verdict.OldEpoch(String why) ->
                    throw new RefusedBatchException(Reason.OLD_PRODUCER_EPOCH, why);
                case ProducerStates.Verdict.Fresh() -> {
                    AppendResult placed = place(batch);
                    note(batch, placed);
                    yield placed;
                }
            };
        } finally {
            lock.unlock();
        }
    }

    private AppendResult place(EncodedBatch batch) {
        long base = log.append(batch);
        return new AppendResult(base, base + batch.recordCount(), batch.maxTimestamp());
    }

    private void note(EncodedBatch batch, AppendResult placed) {
        book.note(booked(batch.array(), batch.at(), placed), nanoTime.getAsLong());
        bookedEnd = placed.endOffset();
        unsavedBytes += batch.size();
        if (book.producers() > lookAtProducers) {
            forgetOld();
        }
    }

    private void forgetOld() {
        book.forget(nanoTime.getAsLong() - PRODUCER_EXPIRY.toNanos(), log.startOffset());
        lookAtProducers = Math.max(PRODUCERS_LOOK, 2 * book.producers());
    }

    private static ProducerStates.Batch booked(byte[] array, int at, AppendResult placed) {
        return new ProducerStates.Batch(
                BatchHeader.producerId(array, at),
                BatchHeader.producerEpoch(array, at),
                BatchHeader.baseSequence(array, at),
                BatchHeader.recordCount(array, at),
                placed);
    }

    /**
     * What was appended may be gone, its sync failed: the log knows. The note may have it still and is not believed any
     * more, and taken away for the next writer.
     */
    public void doubt() {
        lock.lock();
        try {
            book = null;
            doubts++;
        } finally {
            lock.unlock();
        }
        dropDoubtedNote();
    }

    /** Takes away a note that this writer does not believe, so that no later server does. */
    void dropDoubtedNote() {
        if (!isNoteDoubted()) {
            return;
        }
        noting.lock();
        try {
            if (isNoteDoubted()) {
                log.keepNote(NOTE, new byte[0]);
            }
        } catch (MusterException e) {
            LOG.log(System.Logger.Level.DEBUG, "the note of {0} stays: {1}", log, e.getMessage());
        } finally {
            noting.unlock();
        }
    }

    private boolean isNoteDoubted() {
        lock.lock();
        try {
            return doubts != doubtsBeforeNote;
        } finally {
            lock.unlock();
        }
    }

    // ---- the note

    /** True if a restart would have much to read. */
    public boolean wantsNote() {
        return unsavedBytes >= NOTE_EVERY_BYTES;
    }

    /** Keeps what is known beside the log. */
    public void keepNote() {
        noting.lock();
        try {
            byte[] note;
            long doubtsBefore;
            lock.lock();
            try {
                if (book == null || unsavedBytes == 0) {
                    return;
                }
                forgetOld();
                note = encode();
                unsavedBytes = 0;
                doubtsBefore = doubts;
            } finally {
                lock.unlock();
            }
            log.keepNote(NOTE, note);
            noteIsKept(doubtsBefore);
        } finally {
            noting.unlock();
        }
    }

    private void noteIsKept(long doubtsBefore) {
        lock.lock();
        try {
            doubtsBeforeNote = doubtsBefore;
        } finally {
            lock.unlock();
        }
    }

    private byte[] encode() {
        ByteBuffer out = ByteBuffer.allocate(NOTE_HEAD + book.sizeInBytes() + Integer.BYTES);
        out.putInt(NOTE_VERSION).putInt(log.leaderEpoch()).putLong(bookedEnd);
        book.write(out);
        return out.putInt(crc(out.array(), out.position())).array();
    }

    private static int crc(byte[] bytes, int size) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, size);
        return (int) crc.getValue();
    }

    /** Takes the note, if it is one of this log, and reads on from there. */
    private void load() {
        settle();
        ProducerStates loaded = new ProducerStates();
        long from = log.startOffset();
        byte[] note = doubts == doubtsBeforeNote ? log.note(NOTE).orElse(new byte[0]) : new byte[0];
        if (note.length > NOTE_HEAD + Integer.BYTES
                && crc(note, note.length - Integer.BYTES)
                        == ByteBuffer.wrap(note).getInt(note.length - Integer.BYTES)) {
            ByteBuffer in = ByteBuffer.wrap(note);
            boolean fits = in.getInt() == NOTE_VERSION && in.getInt() == log.leaderEpoch();
            long end = in.getLong();
            try {
                if (fits && end >= from && end <= log.endOffset()) {
                    loaded = ProducerStates.read(in, nanoTime.getAsLong());
                    from = end;
                }
            } catch (BufferUnderflowException e) {
                LOG.log(System.Logger.Level.DEBUG, "a note of {0} is too short", log);
            }
        }
        bookedEnd = from;
        unsavedBytes = 0;
        read(loaded, from);
        book = loaded;
    }

    /**
     * What a dead server wrote counts too, also what it did not live to announce or to sync: our next append would go
     * behind it, and its producer is going to repeat it. What cannot be synced is given up by catching up again.
     */
    private void settle() {
        for (int tries = 1; ; tries++) {
            log.catchUp();
            if (log.topic().settings().sync() != SyncLevel.COMMIT) {
                // All of it is visible. To sync it too, although no client was promised that, may mean to write out a
                // gigabyte.
                return;
            }
            try {
                log.sync();
                return;
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
                    noteAll(into, slice.bytes());
                    bookedEnd = slice.nextOffset();
                    unsavedBytes += slice.bytes().remaining();
                } catch (DamagedLogException e) {
                    reader.seek(e.nextOffset());
                } catch (OffsetOutOfRangeException e) {
                    // Retention was faster.
                    reader.seek(log.startOffset());
                }
            }
        }
    }

    private void noteAll(ProducerStates into, ByteBuffer batches) {
        long now = nanoTime.getAsLong();
        byte[] array = batches.array();
        int end = batches.arrayOffset() + batches.limit();
        int at = batches.arrayOffset() + batches.position();
        while (at < end) {
            if (BatchHeader.producerId(array, at) != BatchHeader.NO_PRODUCER) {
                long base = BatchHeader.baseOffset(array, at);
                long next = base + BatchHeader.recordCount(array, at);
                into.note(booked(array, at, new AppendResult(base, next, BatchHeader.maxTimestamp(array, at))), now);
            }
            at += BatchHeader.sizeInBytes(array, at);
        }
    }
}
