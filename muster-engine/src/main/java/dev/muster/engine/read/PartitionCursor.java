package dev.muster.engine.read;

import dev.muster.core.TopicPartition;
import dev.muster.store.DamagedLogException;
import dev.muster.store.LogReplacedException;
import dev.muster.store.OffsetOutOfRangeException;
import dev.muster.store.PartitionLog;
import dev.muster.store.batch.BatchDecoder;
import dev.muster.store.batch.InvalidBatchException;
import dev.muster.store.read.LogSlice;
import dev.muster.store.watch.Registration;
import java.util.function.UnaryOperator;

/**
 * The position of a reader in one partition, with the records that it fetched and has not handed out. For one thread.
 */
final class PartitionCursor implements AutoCloseable {
    private static final int FETCH_BYTES_MIN = 256 << 10;
    private static final int FETCH_BYTES_MAX = 1 << 20;

    private final TopicPartition name;
    private final ReadErrorPolicy trouble;
    private final UnaryOperator<PartitionLog> reopen;
    private PartitionLog log;
    private ReadAhead reader;
    private BatchDecoder decoder;
    private int fetchBytes = FETCH_BYTES_MIN;
    /** The next offset to be handed out. */
    private long position;
    /** True if the decoder may have more records. */
    private boolean inSlice;
    /** The offset behind the last fetched record. */
    private long sliceEnd;
    /** The number of records handed out by the present {@link #drain}. */
    private int handedOut;

    private boolean paused;
    /** Wakes the reader for this partition; null before the reader first waited. */
    private Runnable wake;

    private Registration subscription;

    /** @param reopen function from a log whose files were replaced to the present log of the partition */
    PartitionCursor(PartitionLog log, long position, ReadErrorPolicy trouble, UnaryOperator<PartitionLog> reopen) {
        this.name = new TopicPartition(log.topic().name(), log.partition());
        this.log = log;
        this.position = position;
        this.trouble = trouble;
        this.reopen = reopen;
    }

    TopicPartition name() {
        return name;
    }

    PartitionLog log() {
        return log;
    }

    long position() {
        return position;
    }

    void seek(long offset) {
        position = offset;
        inSlice = false;
    }

    boolean atEnd() {
        return position >= log.endOffset();
    }

    boolean paused() {
        return paused;
    }

    void pause(boolean on) {
        paused = on;
    }

    void subscribe(Runnable signal) {
        wake = signal;
        subscription = log.onAppend(signal);
    }

    /**
     * Hands out the records of one fetch. A failure behind the first record is not thrown: the position stays before
     * it, and the next call fails there.
     *
     * @return the number of records
     */
    int drain(int recordsMax, RecordSink sink) {
        handedOut = 0;
        try {
            while (handedOut == 0 && (inSlice || fetch())) {
                handOut(recordsMax, sink);
            }
        } catch (RuntimeException e) {
            inSlice = false;
            if (handedOut == 0) {
                throw e;
            }
        }
        return handedOut;
    }

    private void handOut(int recordsMax, RecordSink sink) {
        try {
            while (handedOut < recordsMax) {
                if (!decoder.next()) {
                    inSlice = false;
                    position = sliceEnd;
                    return;
                }
                long offset = decoder.offset();
                if (offset >= position) {
                    sink.accept(name, decoder);
                    position = offset + 1;
                    handedOut++;
                }
            }
        } catch (InvalidBatchException e) {
            skipInvalid(e);
        }
    }

    /** Handles a batch with a valid checksum and invalid content as damage. */
    private void skipInvalid(InvalidBatchException problem) {
        inSlice = false;
        // The smallest read returns this batch alone, and so its end.
        long next = reader.readOne(position).nextOffset();
        DamagedLogException damage = new DamagedLogException(name.toString(), 0, position, next, problem.getMessage());
        seek(behind(trouble.damaged(log, damage), damage));
    }

    /** Returns the offset to continue at. It must be behind the damage, or reading would never end. */
    private long behind(long next, DamagedLogException damage) {
        if (next <= position) {
            throw damage;
        }
        return next;
    }

    private boolean fetch() {
        while (true) {
            try {
                if (reader == null) {
                    reader = new ReadAhead(log, position);
                }
                return open(reader.read(position, fetchBytes));
            } catch (OffsetOutOfRangeException e) {
                position = trouble.outOfRange(log, e);
            } catch (DamagedLogException e) {
                position = behind(trouble.damaged(log, e), e);
            } catch (LogReplacedException e) {
                reopen(e);
            }
        }
    }

    /** Continues at the same position in the present log of the partition. */
    private void reopen(LogReplacedException replaced) {
        PartitionLog now = reopen.apply(log);
        if (now == log) {
            throw replaced;
        }
        if (reader != null) {
            reader.close();
            reader = null;
        }
        log = now;
        if (subscription != null) {
            subscription.close();
            subscription = now.onAppend(wake);
        }
    }

    private boolean open(LogSlice slice) {
        int size = slice.bytes().remaining();
        if (size == 0) {
            // The reader may have skipped offsets without records.
            position = slice.nextOffset();
            return false;
        }
        // The size doubles after full fetches: a reader far behind makes few reads, a reader at the end keeps little
        // memory.
        if (size > fetchBytes / 4 * 3) {
            fetchBytes = Math.min(FETCH_BYTES_MAX, fetchBytes * 2);
            reader.readAhead(fetchBytes);
        } else if (size < fetchBytes / 4) {
            fetchBytes = FETCH_BYTES_MIN;
        }
        decoder = decoder == null ? BatchDecoder.over(slice.bytes()) : decoder.restart(slice.bytes());
        sliceEnd = slice.nextOffset();
        inSlice = true;
        return true;
    }

    @Override
    public void close() {
        if (subscription != null) {
            subscription.close();
        }
        if (reader != null) {
            reader.close();
        }
    }
}
