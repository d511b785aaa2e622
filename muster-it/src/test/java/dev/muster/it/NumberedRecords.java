package dev.muster.it;

import dev.muster.core.CompressionKind;
import dev.muster.store.DamagedLogException;
import dev.muster.store.PartitionLog;
import dev.muster.store.batch.BatchBuilder;
import dev.muster.store.batch.BatchDecoder;
import dev.muster.store.batch.EncodedBatch;
import dev.muster.store.read.LogReader;
import dev.muster.store.read.LogSlice;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Consumer;

/** Records with a writer and a number, every byte of which can be checked. */
final class NumberedRecords {
    /** One record that was read back. */
    record Numbered(long offset, int writer, long number) {}

    private NumberedRecords() {}

    static byte[] value(int writer, long number, int size) {
        ByteBuffer value =
                ByteBuffer.allocate(Math.max(size, 12)).putInt(writer).putLong(number);
        long filler = number * 0x9E3779B97F4A7C15L + writer;
        while (value.remaining() >= 8) {
            filler += 0x632BE59BD9B4E019L;
            value.putLong(filler);
        }
        return value.array();
    }

    static EncodedBatch batch(int writer, long number, int size) {
        byte[] value = value(writer, number, size);
        BatchBuilder builder = new BatchBuilder(new byte[size + 256], CompressionKind.NONE);
        if (!builder.tryAppend(System.currentTimeMillis(), null, value, List.of())) {
            throw new IllegalStateException("a batch of one record does not fit");
        }
        return builder.finish(-1, (short) -1, -1);
    }

    /** Reads all visible records; fails on a record that no writer wrote. */
    static void readAll(PartitionLog log, Consumer<Numbered> into) throws DamagedLogException {
        try (LogReader reader = log.reader(log.startOffset())) {
            for (LogSlice slice = reader.read(1 << 20); !slice.isEmpty(); slice = reader.read(1 << 20)) {
                BatchDecoder records = BatchDecoder.over(slice.bytes());
                while (records.next()) {
                    into.accept(check(records.offset(), records.value()));
                }
            }
        }
    }

    static Numbered check(long offset, byte[] value) {
        ByteBuffer bytes = ByteBuffer.wrap(value);
        int writer = bytes.getInt();
        long number = bytes.getLong();
        if (!java.util.Arrays.equals(value, value(writer, number, value.length))) {
            throw new AssertionError("a torn or foreign record at offset " + offset);
        }
        return new Numbered(offset, writer, number);
    }
}
