package dev.muster.testkit;

import dev.muster.core.CompressionKind;
import dev.muster.store.FencedException;
import dev.muster.store.PartitionAppender;
import dev.muster.store.PartitionLog;
import dev.muster.store.PendingAppend;
import dev.muster.store.batch.BatchBuilder;
import dev.muster.store.batch.BatchDecoder;
import dev.muster.store.batch.BatchHeader;
import dev.muster.store.batch.EncodedBatch;
import dev.muster.store.batch.LogRecord;
import dev.muster.store.read.LogReader;
import dev.muster.store.read.LogSlice;
import dev.muster.store.watch.Registration;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Records for contract tests. Their values are short texts; they have no keys and no headers. */
public final class ContractRecords {
    private ContractRecords() {}

    private static final long LOOK_AGAIN_NANOS = 1_000_000_000;

    /** A batch of records with these values and timestamp 0. */
    public static EncodedBatch batch(String... values) {
        return batch(CompressionKind.NONE, values);
    }

    public static EncodedBatch batch(CompressionKind compression, String... values) {
        BatchBuilder builder = new BatchBuilder(new byte[1 << 10], compression);
        return finished(builder, new long[values.length], values);
    }

    /** A batch with these timestamps; each value is its timestamp as text. */
    public static EncodedBatch batchAt(long... timestamps) {
        String[] values = Arrays.stream(timestamps).mapToObj(Long::toString).toArray(String[]::new);
        return finished(new BatchBuilder(new byte[1 << 10], CompressionKind.NONE), timestamps, values);
    }

    /** Appends a batch and waits until it is durable. Returns the offset of its first record. */
    public static long append(PartitionLog log, EncodedBatch batch) {
        while (true) {
            try (PartitionAppender appender = log.appender()) {
                PendingAppend append = appender.append(batch);
                append.awaitDurable();
                return append.place().baseOffset();
            } catch (FencedException e) {
                // Another thread opened an appender meanwhile. Nothing was written.
                Thread.onSpinWait();
            }
        }
    }

    /**
     * Waits until the end offset of the log is above this offset, or until the timeout has passed.
     *
     * @return true if it is above
     */
    public static boolean awaitEndAbove(PartitionLog log, long offset, Duration timeout) {
        Thread waiter = Thread.currentThread();
        long deadline = System.nanoTime() + timeout.toNanos();
        try (Registration _ = log.onAppend(() -> LockSupport.unpark(waiter))) {
            while (log.endOffset() <= offset) {
                long left = deadline - System.nanoTime();
                if (left <= 0 || waiter.isInterrupted()) {
                    return log.refresh() > offset;
                }
                LockSupport.parkNanos(Math.min(left, LOOK_AGAIN_NANOS));
            }
        }
        return true;
    }

    public static long append(PartitionLog log, String... values) {
        return append(log, batch(values));
    }

    /** Reads all records from an offset to the end. */
    public static List<LogRecord> read(PartitionLog log, long offset) {
        try (LogReader reader = log.reader(offset)) {
            List<LogRecord> records = new ArrayList<>();
            LogSlice slice = reader.read(1 << 16);
            long position = offset;
            while (!slice.isEmpty()) {
                if (slice.nextOffset() <= position) {
                    throw new AssertionError(
                            "a read at " + position + " returned records but its next offset is " + slice.nextOffset());
                }
                position = slice.nextOffset();
                BatchDecoder decoder = BatchDecoder.over(slice.bytes());
                while (decoder.next()) {
                    if (decoder.offset() >= offset) {
                        records.add(decoder.record());
                    }
                }
                slice = reader.read(1 << 16);
            }
            return records;
        }
    }

    /** Reads the values of all records from an offset to the end. */
    public static List<String> values(PartitionLog log, long offset) {
        return read(log, offset).stream().map(ContractRecords::value).toList();
    }

    public static String value(LogRecord record) {
        return new String(record.value(), StandardCharsets.UTF_8);
    }

    private static EncodedBatch finished(BatchBuilder builder, long[] timestamps, String... values) {
        for (int i = 0; i < values.length; i++) {
            if (!builder.tryAppend(timestamps[i], null, values[i].getBytes(StandardCharsets.UTF_8), List.of())) {
                throw new IllegalArgumentException(
                        values.length + " records do not fit into one batch of a contract test");
            }
        }
        return builder.finish(BatchHeader.NO_PRODUCER, (short) -1, -1);
    }
}
