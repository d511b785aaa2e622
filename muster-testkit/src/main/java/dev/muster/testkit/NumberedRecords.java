package dev.muster.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.CompressionKind;
import dev.muster.store.batch.BatchBuilder;
import dev.muster.store.batch.BatchHeader;
import dev.muster.store.batch.EncodedBatch;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;

/** Records that are a function of their number, so that a test can check each byte of a record that it reads. */
public final class NumberedRecords {
    private static final int FILLER_MAX = 300;
    /** Some records span several pages, so that a power cut can lose their middle. */
    private static final int LARGE_FILLER = 9_000;

    private NumberedRecords() {}

    public static byte[] value(long number) {
        Random random = new Random(number);
        int filler = random.nextInt(20) == 0 ? LARGE_FILLER : random.nextInt(FILLER_MAX);
        byte[] rest = new byte[filler];
        random.nextBytes(rest);
        return ByteBuffer.allocate(Long.BYTES + filler)
                .putLong(number)
                .put(rest)
                .array();
    }

    /** The number of a record, from its value. Fails if any byte is not as it was sent. */
    public static long number(byte[] value) {
        assertThat(value).as("value of a record, which begins with its number").hasSizeGreaterThanOrEqualTo(Long.BYTES);
        long number = ByteBuffer.wrap(value).getLong();
        assertThat(value).as("value of record %d", number).isEqualTo(value(number));
        return number;
    }

    public static long timestamp(long number) {
        return 1_700_000_000_000L + number;
    }

    /** A batch of records with consecutive numbers. */
    public static EncodedBatch batch(long first, int count) {
        return batch(LongStream.range(first, first + count).toArray());
    }

    public static EncodedBatch batch(long[] numbers) {
        BatchBuilder builder = new BatchBuilder(new byte[256 << 10], CompressionKind.NONE);
        for (long number : numbers) {
            assertThat(builder.tryAppend(timestamp(number), null, value(number), List.of()))
                    .isTrue();
        }
        return builder.finish(BatchHeader.NO_PRODUCER, (short) -1, -1);
    }
}
