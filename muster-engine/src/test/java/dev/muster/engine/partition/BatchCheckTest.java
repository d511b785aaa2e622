package dev.muster.engine.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.core.TopicSettings;
import dev.muster.engine.partition.RefusedBatchException.Reason;
import dev.muster.store.batch.BatchHeader;
import dev.muster.store.batch.EncodedBatch;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.zip.CRC32C;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class BatchCheckTest {
    private static final short VERSION = 9;
    private static final int BYTES_MAX = 1 << 20;
    private static final long NOW = 1_800_000_000_000L;

    private final BatchCheck check = new BatchCheck();

    @ParameterizedTest
    @EnumSource(CompressionType.class)
    void aValidBatchPassesUnchanged(CompressionType type) {
        ByteBuffer bytes = compressed(type, "a", "b", "c");
        byte[] before = bytes.array().clone();
        var batch = checked(bytes, BYTES_MAX);
        assertThat(batch.recordCount()).isEqualTo(3);
        assertThat(bytes.array()).isEqualTo(before);
    }

    @ParameterizedTest
    @EnumSource(CompressionType.class)
    void aBatchWithAFlippedBitIsRefused(CompressionType type) {
        byte[] good = compressed(type, "a", "b", "c").array();
        for (int bit = 0; bit < good.length * 8; bit++) {
            int at = bit / 8;
            boolean setByTheLog =
                    at < BatchHeader.LENGTH_AT || at >= BatchHeader.LEADER_EPOCH_AT && at < BatchHeader.MAGIC_AT;
            if (setByTheLog) {
                continue;
            }
            byte[] bad = good.clone();
            bad[at] ^= (byte) (1 << bit % 8);
            assertThatThrownBy(() -> checked(ByteBuffer.wrap(bad), BYTES_MAX))
                    .as("bit %d", bit)
                    .isInstanceOf(RefusedBatchException.class);
        }
    }

    /** A malicious client can compute checksums too. */
    @ParameterizedTest
    @EnumSource(CompressionType.class)
    void wrongContentWithAValidChecksumIsRefusedOrHarmless(CompressionType type) {
        long seed = new Random().nextLong();
        System.out.println("BatchCheckTest seed " + seed);
        Random random = new Random(seed);
        byte[] good = compressed(type, "a", "b", "c").array();
        int refused = 0;
        for (int i = 0; i < 3_000; i++) {
            byte[] bad = good.clone();
            int at = BatchHeader.ATTRIBUTES_AT + random.nextInt(bad.length - BatchHeader.ATTRIBUTES_AT);
            bad[at] = (byte) random.nextInt();
            seal(bad);
            try {
                checked(ByteBuffer.wrap(bad), BYTES_MAX);
            } catch (RefusedBatchException e) {
                refused++;
            }
        }
        assertThat(refused).as("refused, seed %d", seed).isPositive();
    }

    @Test
    void aWrongRecordCountIsRefused() {
        refused(Reason.INVALID_RECORD, b -> ByteBuffer.wrap(b).putInt(BatchHeader.RECORD_COUNT_AT, 2));
        refused(
                Reason.INVALID_RECORD,
                b -> ByteBuffer.wrap(b)
                        .putInt(BatchHeader.RECORD_COUNT_AT, 4)
                        .putInt(BatchHeader.LAST_OFFSET_DELTA_AT, 3));
        refused(
                Reason.INVALID_RECORD,
                b -> ByteBuffer.wrap(b)
                        .putInt(BatchHeader.RECORD_COUNT_AT, 0)
                        .putInt(BatchHeader.LAST_OFFSET_DELTA_AT, -1));
    }

    @Test
    void attributesReservedForTheLogAreRefused() {
        refused(Reason.INVALID_RECORD, b -> attribute(b, BatchHeader.CONTROL));
        refused(Reason.TRANSACTIONAL, b -> attribute(b, BatchHeader.TRANSACTIONAL));
        refused(Reason.INVALID_TIMESTAMP, b -> attribute(b, BatchHeader.LOG_APPEND_TIME));
    }

    @Test
    void onlyASingleBatchWithinTheSizeLimitPasses() {
        byte[] one = ClientBatches.of("a".repeat(100)).buffer().array();
        ByteBuffer two = ByteBuffer.allocate(2 * one.length).put(one).put(one).flip();
        assertThatThrownBy(() -> checked(two, BYTES_MAX)).isInstanceOf(RefusedBatchException.class);
        assertThatThrownBy(() -> checked(ByteBuffer.allocate(0), BYTES_MAX)).isInstanceOf(RefusedBatchException.class);
        assertThatThrownBy(() -> checked(ByteBuffer.wrap(one), one.length - 1))
                .isInstanceOfSatisfying(
                        RefusedBatchException.class, e -> assertThat(e.reason()).isEqualTo(Reason.TOO_LARGE));
    }

    @Test
    void aDecompressionBombIsRefused() {
        // 200 MiB of zeros in a valid gzip body.
        SimpleRecord zeros = new SimpleRecord(0, null, new byte[200 << 20]);
        MemoryRecords bomb =
                MemoryRecords.withRecords(Compression.of(CompressionType.ZSTD).build(), zeros);
        assertThat(bomb.sizeInBytes()).isLessThan(1 << 20);
        assertThatThrownBy(() -> checked(bomb.buffer(), BYTES_MAX))
                .isInstanceOfSatisfying(
                        RefusedBatchException.class, e -> assertThat(e.reason()).isEqualTo(Reason.TOO_LARGE))
                .hasMessageContaining("unpack");
    }

    /** A batch of 3 KB that unpacked to 100 MiB passed, and took the memory of every consumer of the topic. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void theUnpackedSizeIsBoundedByTheTopicsLimit(CompressionType type) {
        int limit = BatchCheck.unpackedBytesMax(BYTES_MAX);
        assertThat(limit).isEqualTo(16 << 20);
        checked(bomb(type, limit - 100), 2 * BYTES_MAX);
        assertThatThrownBy(() -> checked(bomb(type, limit), 2 * BYTES_MAX))
                .isInstanceOfSatisfying(
                        RefusedBatchException.class, e -> assertThat(e.reason()).isEqualTo(Reason.TOO_LARGE))
                .hasMessageContaining("a batch unpacks to more than " + limit + " bytes");
        assertThat(BatchCheck.unpackedBytesMax(4 << 20)).isEqualTo(32 << 20);
        assertThat(BatchCheck.unpackedBytesMax(Integer.MAX_VALUE)).isEqualTo(128 << 20);
    }

    /**
     * A small batch does not wait for large ones. Many threads check large batches repeatedly, and a thread that checks
     * small ones finishes long before them. Without slices it would wait for whole large batches.
     */
    @ParameterizedTest
    @ValueSource(ints = {30, 120})
    void smallBatchesDoNotWaitForLargeOnes(int bombs) throws Exception {
        int bytesMax = 16 << 20;
        byte[] large = bomb(CompressionType.GZIP, (1800 / bombs) << 20).array();
        byte[] small = compressed(CompressionType.GZIP, "a", "b", "c").array();
        AtomicInteger finished = new AtomicInteger();
        CountDownLatch begun = new CountDownLatch(bombs);
        try (ExecutorService threads = Executors.newFixedThreadPool(bombs)) {
            for (int i = 0; i < bombs; i++) {
                threads.execute(() -> {
                    ByteBuffer mine = ByteBuffer.wrap(large.clone());
                    begun.countDown();
                    checked(mine, bytesMax);
                    finished.incrementAndGet();
                });
            }
            begun.await();
            long worstNanos = 0;
            for (int i = 0; i < 20; i++) {
                long start = System.nanoTime();
                checked(ByteBuffer.wrap(small.clone()), bytesMax);
                worstNanos = Math.max(worstNanos, System.nanoTime() - start);
            }
            int finishedBefore = finished.get();
            System.out.println("BatchCheckTest: a small batch waited for " + worstNanos / 1_000_000
                    + " ms at most beside " + bombs + " large ones, of which " + finishedBefore + " were through");
            assertThat(finishedBefore).isLessThan(bombs / 2);
        }
        assertThat(finished).hasValue(bombs);
    }

    @ParameterizedTest
    @EnumSource(CompressionType.class)
    void timestampOutsideTheWindowIsRefused(CompressionType type) {
        TopicSettings settings = TopicSettings.DEFAULT
                .with("message.timestamp.before.max.ms", "1000")
                .with("message.timestamp.after.max.ms", "100");
        assertThat(checkedAt(settings, at(type, NOW - 1_000, NOW, NOW + 100)).recordCount())
                .isEqualTo(3);
        refusedTime(settings, at(type, NOW, NOW - 1_001));
        refusedTime(settings, at(type, NOW, NOW + 101));
        checkedAt(TopicSettings.DEFAULT, at(type, 0, NOW + 3_600_000));
        refusedTime(TopicSettings.DEFAULT, at(type, 0, NOW + 3_600_001));
    }

    /** Kafka takes the time -1 for none. Other times before 1970 are refused. */
    @ParameterizedTest
    @EnumSource(CompressionType.class)
    void timestampBeforeTheEpochIsRefusedUnlessNone(CompressionType type) {
        byte[] none = at(type, 5, 3);
        ByteBuffer.wrap(none).putLong(BatchHeader.BASE_TIMESTAMP_AT, -1);
        seal(none);
        refusedTime(TopicSettings.DEFAULT, none); // the second record has -3
        byte[] alone = at(type, 7);
        ByteBuffer.wrap(alone).putLong(BatchHeader.BASE_TIMESTAMP_AT, -1);
        seal(alone);
        assertThat(checkedAt(TopicSettings.DEFAULT, alone).maxTimestamp()).isEqualTo(-1);
        assertThat(BatchHeader.crcHolds(alone, 0)).isTrue();
    }

    @ParameterizedTest
    @EnumSource(CompressionType.class)
    void timestampsAtTheEdgesOfLongAreRefused(CompressionType type) {
        TopicSettings widest = TopicSettings.DEFAULT.with("message.timestamp.after.max.ms", "" + Long.MAX_VALUE);
        for (long base : new long[] {Long.MAX_VALUE, Long.MAX_VALUE - 1, Long.MIN_VALUE, Long.MIN_VALUE + 1, -2}) {
            byte[] batch = at(type, 10, 12, 8);
            ByteBuffer.wrap(batch).putLong(BatchHeader.BASE_TIMESTAMP_AT, base);
            seal(batch);
            refusedTime(TopicSettings.DEFAULT, batch);
            refusedTime(widest, batch);
        }
    }

    /** Retention and searches by time use the header. Kafka's broker corrects it, too. */
    @ParameterizedTest
    @EnumSource(CompressionType.class)
    void wrongMaxTimestampIsCorrected(CompressionType type) {
        byte[] good = at(type, NOW, NOW + 7, NOW - 3);
        for (long lie : new long[] {Long.MIN_VALUE, -1, 0, NOW + 6, NOW + 8, Long.MAX_VALUE}) {
            byte[] batch = good.clone();
            ByteBuffer.wrap(batch).putLong(BatchHeader.MAX_TIMESTAMP_AT, lie);
            seal(batch);
            assertThat(checkedAt(TopicSettings.DEFAULT, batch).maxTimestamp()).isEqualTo(NOW + 7);
            assertThat(batch).isEqualTo(good);
        }
    }

    @ParameterizedTest
    @EnumSource(CompressionType.class)
    void anyTimestampIsAcceptedWithLogAppendTime(CompressionType type) {
        TopicSettings settings = TopicSettings.DEFAULT.with("message.timestamp.type", "LogAppendTime");
        byte[] batch = at(type, Long.MAX_VALUE, 0);
        assertThat(checkedAt(settings, batch).recordCount()).isEqualTo(2);
    }

    private EncodedBatch checked(ByteBuffer records, int bytesMax) {
        return check.check(records, VERSION, TopicSettings.DEFAULT.with("max.message.bytes", "" + bytesMax), NOW);
    }

    private EncodedBatch checkedAt(TopicSettings settings, byte[] batch) {
        return check.check(ByteBuffer.wrap(batch), VERSION, settings, NOW);
    }

    private void refusedTime(TopicSettings settings, byte[] batch) {
        assertThatThrownBy(() -> checkedAt(settings, batch))
                .isInstanceOfSatisfying(
                        RefusedBatchException.class, e -> assertThat(e.reason()).isEqualTo(Reason.INVALID_TIMESTAMP))
                .hasMessageContaining("timestamp");
    }

    private static byte[] at(CompressionType type, long... times) {
        SimpleRecord[] records = new SimpleRecord[times.length];
        for (int i = 0; i < times.length; i++) {
            records[i] = new SimpleRecord(times[i], null, new byte[] {1, 2, 3});
        }
        return exact(MemoryRecords.withRecords(Compression.of(type).build(), records))
                .array();
    }

    private static ByteBuffer exact(MemoryRecords made) {
        byte[] exact = new byte[made.sizeInBytes()];
        made.buffer().get(exact);
        return ByteBuffer.wrap(exact);
    }

    private static ByteBuffer bomb(CompressionType type, int bytes) {
        MemoryRecords made =
                MemoryRecords.withRecords(Compression.of(type).build(), new SimpleRecord(0, null, new byte[bytes]));
        byte[] exact = new byte[made.sizeInBytes()];
        made.buffer().get(exact);
        return ByteBuffer.wrap(exact);
    }

    private void refused(Reason error, Consumer<byte[]> lie) {
        byte[] bytes = ClientBatches.of("a", "b", "c").buffer().array().clone();
        lie.accept(bytes);
        seal(bytes);
        assertThatThrownBy(() -> checked(ByteBuffer.wrap(bytes), BYTES_MAX))
                .isInstanceOfSatisfying(
                        RefusedBatchException.class, e -> assertThat(e.reason()).isEqualTo(error));
    }

    private static void attribute(byte[] batch, int bit) {
        ByteBuffer.wrap(batch).putShort(BatchHeader.ATTRIBUTES_AT, (short) bit);
    }

    private static void seal(byte[] batch) {
        CRC32C crc = new CRC32C();
        crc.update(batch, BatchHeader.ATTRIBUTES_AT, batch.length - BatchHeader.ATTRIBUTES_AT);
        ByteBuffer.wrap(batch).putInt(BatchHeader.CRC_AT, (int) crc.getValue());
    }

    private static ByteBuffer compressed(CompressionType type, String... values) {
        ByteBuffer made = MemoryRecords.withRecords(Compression.of(type).build(), ClientBatches.records(values))
                .buffer();
        byte[] exact = new byte[made.remaining()];
        made.get(exact);
        return ByteBuffer.wrap(exact);
    }
}
