package dev.muster.testkit;

import dev.muster.core.CompressionKind;
import dev.muster.store.LogReader;
import dev.muster.store.LogSlice;
import dev.muster.store.PartitionLog;
import dev.muster.store.batch.BatchBuilder;
import dev.muster.store.batch.BatchDecoder;
import dev.muster.store.batch.BatchHeader;
import dev.muster.store.batch.EncodedBatch;
import dev.muster.store.batch.LogRecord;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Records for contracts: their values are short texts, their keys and headers absent. */
public final class ContractRecords {
    private ContractRecords() {}

    /** A batch of these values, each with timestamp 0. */
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

    /** Appends a batch, waits until it is safe, tells its first offset. */
    public static long append(PartitionLog log, EncodedBatch batch) {
        long offset = log.append(batch);
        log.awaitDurable(offset + batch.recordCount());
        return offset;
    }

    public static long append(PartitionLog log, String... values) {
        return append(log, batch(values));
    }

    /** Everything from the offset to the end. */
    public static List<LogRecord> read(PartitionLog log, long offset) {
        try (LogReader reader = log.reader(offset)) {
            List<LogRecord> records = new ArrayList<>();
            LogSlice slice = reader.read(1 << 16);
            long position = offset;
            while (!slice.isEmpty()) {
                if (slice.nextOffset() <= position) {
                    throw new AssertionError("a read at " + position + " gave records and stayed there");
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

    /** The values of everything from the offset to the end. */
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
                        "too much for one batch of a contract: " + values.length + " records");
            }
        }
        return builder.finish(BatchHeader.NO_PRODUCER, (short) -1, -1);
    }
}
