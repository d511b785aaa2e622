package dev.muster.store.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.core.CompressionKind;
import dev.muster.core.Header;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class BatchDecoderTest {
    private static final int COUNT_LOW_BYTE = BatchHeader.RECORD_COUNT_AT + 3;
    private static final int DELTA_LOW_BYTE = BatchHeader.LAST_OFFSET_DELTA_AT + 3;
    private static final int ATTRIBUTES_LOW_BYTE = BatchHeader.ATTRIBUTES_AT + 1;

    @Test
    void batchesAreDecodedAfterEachOtherWithTheirOffsets() {
        byte[] first = batch(CompressionKind.NONE, 3);
        byte[] second = batch(CompressionKind.LZ4, 2);
        BatchHeader.setBaseOffset(first, 0, 100);
        BatchHeader.setBaseOffset(second, 0, 103);

        assertThat(decode(concat(first, second)))
                .extracting(LogRecord::offset)
                .containsExactly(100L, 101L, 102L, 103L, 104L);
    }

    @Test
    void controlBatchesAreSkippedUnread() {
        byte[] control = batch(CompressionKind.NONE, 3);
        control[ATTRIBUTES_LOW_BYTE] |= BatchHeader.CONTROL;
        Arrays.fill(control, BatchHeader.SIZE, control.length, (byte) 0xFF);

        assertThat(decode(concat(control, batch(CompressionKind.NONE, 2), control)))
                .hasSize(2);
    }

    @Test
    void bytesOutsideOfPositionAndLimitAreIgnored() {
        byte[] batch = batch(CompressionKind.NONE, 3);
        ByteBuffer wide = ByteBuffer.allocate(batch.length + 20);
        wide.position(10).put(batch);
        ByteBuffer slice = wide.position(10).limit(10 + batch.length).slice();

        assertThat(decode(slice)).hasSize(3);
        assertThat(decode(wide.position(10).limit(10))).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void wrongRecordCountIsRefused(CompressionKind compression) {
        byte[] fewer = batch(compression, 5);
        fewer[COUNT_LOW_BYTE] = 4;
        assertInvalid(fewer, "bytes follow its last record");
        fewer[COUNT_LOW_BYTE] = 5;
        fewer[DELTA_LOW_BYTE] = 3;
        assertInvalid(fewer, "5 records and a last offset delta of 3");

        byte[] more = batch(compression, 5);
        more[COUNT_LOW_BYTE] = 6;
        more[DELTA_LOW_BYTE] = 5;
        assertInvalid(more, "record 5");

        byte[] none = batch(compression, 5);
        none[COUNT_LOW_BYTE] = 0;
        Arrays.fill(none, BatchHeader.LAST_OFFSET_DELTA_AT, BatchHeader.BASE_TIMESTAMP_AT, (byte) 0xFF);
        assertInvalid(none, "no records");
    }

    @Test
    void offsetsInABatchIncreaseAndNeedNotBeDense() {
        byte[] batch = batch(CompressionKind.NONE, 2);
        int second = 61 + 1 + batch[61] / 2;
        batch[DELTA_LOW_BYTE] = 9;
        batch[64] = 2 * 3;
        batch[second + 3] = 2 * 7;
        assertThat(decode(ByteBuffer.wrap(batch))).extracting(LogRecord::offset).containsExactly(3L, 7L);
        assertInvalid(with(batch, second + 3, 2 * 3), "offset delta 3");
        assertInvalid(with(batch, second + 3, 2 * 10), "offset delta 10");
    }

    @Test
    void impossibleHeaderIsRefused() {
        byte[] batch = batch(CompressionKind.NONE, 1);
        assertInvalid(Arrays.copyOf(batch, 60), "60 are left");
        assertInvalid(Arrays.copyOf(batch, batch.length - 1), "bytes are left");
        assertInvalid(with(batch, BatchHeader.MAGIC_AT, 1), "format 1");
        assertInvalid(with(batch, BatchHeader.LENGTH_AT, 0x80), "size");
        assertInvalid(with(batch, BatchHeader.LENGTH_AT, 0x7F), "size");
        assertInvalid(with(batch, BatchHeader.BASE_OFFSET_AT, 0x80), "records");
        assertInvalid(with(batch, ATTRIBUTES_LOW_BYTE, 7), "unknown compression 7");
    }

    @Test
    void wrongLengthsAreRefused() {
        // 61: length, attributes, timestamp delta, offset delta, 65: key length, value length, header count
        byte[] batch = batch(CompressionKind.NONE, 1);
        assertInvalid(with(batch, 61, 0), "empty");
        assertInvalid(with(batch, 61, 1), "length -1");
        assertInvalid(with(batch, 61, 0x7E), "length 63");
        assertInvalid(with(batch, 64, 2), "has the offset delta 1");
        assertInvalid(with(batch, 65, 0x7E), "length 63");
        assertInvalid(with(batch, 65, 3), "length -2");
        assertInvalid(with(batch, batch.length - 1, 0x7E), "63 headers");
        assertInvalid(with(batch, batch.length - 1, 1), "-1 headers");
        assertInvalid(with(batch, batch.length - 1, 0x80), "variable-length integer that is too long or cut off");
    }

    @Test
    void batchBehindAWrongOneIsRead() {
        byte[] bad = with(batch(CompressionKind.NONE, 3), 61, 1);
        BatchDecoder decoder = BatchDecoder.over(concat(bad, batch(CompressionKind.NONE, 2)));

        assertThatExceptionOfType(InvalidBatchException.class).isThrownBy(decoder::next);
        assertThat(decoder.next()).isTrue();
        assertThat(decoder.next()).isTrue();
        assertThat(decoder.next()).isFalse();
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void batchThatUnpacksToMoreThanTheLimitIsRefused(CompressionKind compression) {
        BatchBuilder builder = new BatchBuilder(new byte[3 << 20], compression);
        builder.tryAppend(0, null, new byte[2 << 20], List.of());
        EncodedBatch batch = builder.finish(-1, (short) -1, -1);
        ByteBuffer bytes = ByteBuffer.wrap(batch.array(), 0, batch.size());

        assertThat(batch.size()).as("it is small when packed").isLessThan(200_000);
        assertThatExceptionOfType(InvalidBatchException.class)
                .isThrownBy(() -> BatchDecoder.over(bytes, 1 << 20).next())
                .withMessageContaining("more than 1048576 bytes");
        assertThat(BatchDecoder.over(bytes, 3 << 20).next()).isTrue();
    }

    /** The library would make an array as large as a chunk claims, and recurse for each header. */
    @Test
    void wrongSnappyLengthsAreRefused() {
        byte[] plain = batch(CompressionKind.SNAPPY, 20);
        assertInvalid(with(plain, BatchHeader.SIZE + 16, 0x10), "a chunk is longer than the batch");
        byte[] heads = Arrays.copyOf(plain, BatchHeader.SIZE + 16 * 200_000);
        for (int at = BatchHeader.SIZE; at < heads.length; at += 16) {
            System.arraycopy(plain, BatchHeader.SIZE, heads, at, 16);
        }
        ByteBuffer.wrap(heads).putInt(BatchHeader.LENGTH_AT, heads.length - BatchHeader.LENGTH_OVERHEAD);
        assertInvalid(heads, "a chunk is longer than the batch");
        byte[] huge = plain.clone();
        Arrays.fill(huge, BatchHeader.SIZE + 20, BatchHeader.SIZE + 24, (byte) 0xFF);
        huge[BatchHeader.SIZE + 24] = 0x07;
        assertInvalid(huge, "it unpacks to more than");
    }

    /** Goal: wrong bytes do no harm. Method: decode batches with random wrong bytes. */
    @ParameterizedTest
    @EnumSource
    void damagedBytesGiveRecordsOrAnInvalidBatchException(CompressionKind compression) {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        byte[] whole = concat(batch(compression, 30), batch(CompressionKind.NONE, 3), batch(compression, 30))
                .array();
        int refused = 0;
        for (int round = 0; round < 5_000; round++) {
            byte[] bytes = random.nextInt(10) == 0 ? Arrays.copyOf(whole, random.nextInt(whole.length)) : whole.clone();
            for (int i = random.nextInt(4); i >= 0 && bytes.length > 0; i--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            BatchDecoder decoder = BatchDecoder.over(ByteBuffer.wrap(bytes), 1 << 20);
            boolean more = true;
            for (int step = 0; more; step++) {
                assertThat(step).as("seed %d round %d ends", seed, round).isLessThan(1 << 20);
                try {
                    more = decoder.next();
                    if (more) {
                        assertThat(decoder.record()).isNotNull();
                    }
                } catch (InvalidBatchException e) {
                    refused++;
                } catch (Throwable e) {
                    throw new AssertionError("seed " + seed + " round " + round, e);
                }
            }
        }
        assertThat(refused).isGreaterThan(100);
    }

    private static byte[] batch(CompressionKind compression, int records) {
        BatchBuilder builder = new BatchBuilder(new byte[10_000], compression);
        for (int i = 0; i < records; i++) {
            List<Header> headers =
                    records == 1 ? List.of() : List.of(new Header("h" + i, i % 2 == 0 ? null : new byte[i]));
            byte[] value = ("value " + i).repeat(3).getBytes(StandardCharsets.UTF_8);
            builder.tryAppend(1000 + i, new byte[] {1, 2, (byte) i}, value, headers);
        }
        EncodedBatch batch = builder.finish(-1, (short) -1, -1);
        return Arrays.copyOf(batch.array(), batch.size());
    }

    private static byte[] with(byte[] batch, int at, int value) {
        byte[] changed = batch.clone();
        changed[at] = (byte) value;
        return changed;
    }

    private static ByteBuffer concat(byte[]... batches) {
        ByteBuffer all = ByteBuffer.allocate(
                Arrays.stream(batches).mapToInt(b -> b.length).sum());
        Arrays.stream(batches).forEach(all::put);
        return all.flip();
    }

    private static List<LogRecord> decode(ByteBuffer batches) {
        BatchDecoder decoder = BatchDecoder.over(batches);
        List<LogRecord> records = new ArrayList<>();
        while (decoder.next()) {
            records.add(decoder.record());
        }
        return records;
    }

    private static void assertInvalid(byte[] batch, String problem) {
        assertThatExceptionOfType(InvalidBatchException.class)
                .isThrownBy(() -> decode(ByteBuffer.wrap(batch)))
                .withMessageContaining(problem);
    }

    /** Before, a process with too little memory for a batch ended with the words "this is a bug". */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void batchThatNeedsTooMuchMemoryIsTooLarge(CompressionKind kind) {
        BatchBuilder builder = new BatchBuilder(new byte[1 << 20], kind);
        assertThat(builder.tryAppend(1_000, null, new byte[900_000], List.of())).isTrue();
        EncodedBatch batch = builder.finish(-1, (short) -1, -1);
        ByteBuffer bytes = ByteBuffer.wrap(batch.array(), batch.at(), batch.size());
        assertThatThrownBy(() -> BatchDecoder.over(bytes, 1 << 30, 800_000).next())
                .isInstanceOfSatisfying(
                        BatchTooLargeException.class,
                        e -> assertThat(e.hint())
                                .hasValueSatisfying(hint -> assertThat(hint).contains("-Xmx")))
                .hasMessage("record batch at offset 0 unpacks to more than 800000 bytes");
        assertThat(BatchDecoder.over(bytes, 1 << 30, 1_000_000).next()).isTrue();
    }
}
