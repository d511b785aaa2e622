package dev.muster.store.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.muster.core.CompressionKind;
import dev.muster.core.Header;
import dev.muster.store.compression.Compression;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CompressedBatchCheckTest {
    private static final int MUTATIONS = 2_000;
    private static final int LENGTH_AT = 8;
    private static final int NOT_IN_LENGTH = 12;

    private final CompressedBatchCheck check = new CompressedBatchCheck();

    /**
     * Goal: a batch that passes can be read. Method: bodies with zero to two wrong bytes are compressed, and both types
     * judge them.
     */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void refusesExactlyTheBatchesThatTheDecoderRefuses(CompressionKind kind) {
        long seed = Long.getLong("muster.seed", new Random().nextLong());
        System.out.println("CompressedBatchCheckTest: -Dmuster.seed=" + seed);
        Random random = new Random(seed);
        int refused = 0;
        for (int i = 0; i < MUTATIONS; i++) {
            byte[] plain = plain(1 + random.nextInt(4));
            for (int flips = random.nextInt(3); flips > 0; flips--) {
                int at = BatchHeader.SIZE + random.nextInt(plain.length - BatchHeader.SIZE);
                plain[at] = (byte) (random.nextBoolean() ? random.nextInt() : random.nextInt(24));
            }
            byte[] packed = pack(plain, kind);
            boolean decoderRefuses = refuses(() -> drain(BatchDecoder.over(ByteBuffer.wrap(packed))));
            assertThat(refuses(() -> check.check(packed, 0, 1 << 20, bytes -> {}, delta -> {})))
                    .as("batch %d of seed %d: %s", i, seed, Arrays.toString(plain))
                    .isEqualTo(decoderRefuses);
            refused += decoderRefuses ? 1 : 0;
        }
        assertThat(refused).as("some are refused, some are not").isBetween(MUTATIONS / 10, MUTATIONS - MUTATIONS / 10);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void bodyThatUnpacksToMoreThanTheLimitIsRefused(CompressionKind kind) {
        BatchBuilder builder = new BatchBuilder(new byte[2 << 20], CompressionKind.NONE);
        assertThat(builder.tryAppend(1_000, null, new byte[(1 << 20) - 100], List.of()))
                .isTrue();
        EncodedBatch small = builder.finish(-1, (short) -1, -1);
        check.check(
                pack(Arrays.copyOfRange(small.array(), small.at(), small.at() + small.size()), kind),
                0,
                1 << 20,
                bytes -> {},
                delta -> {});

        BatchBuilder larger = new BatchBuilder(new byte[2 << 20], CompressionKind.NONE);
        assertThat(larger.tryAppend(1_000, null, new byte[1 << 20], List.of())).isTrue();
        EncodedBatch large = larger.finish(-1, (short) -1, -1);
        byte[] packed = pack(Arrays.copyOfRange(large.array(), large.at(), large.at() + large.size()), kind);
        assertThatExceptionOfType(BatchTooLargeException.class)
                .isThrownBy(() -> check.check(packed, 0, 1 << 20, bytes -> {}, delta -> {}))
                .withMessage("record batch at offset 0 unpacks to more than 1048576 bytes");
    }

    private static byte[] plain(int records) {
        BatchBuilder builder = new BatchBuilder(new byte[4_096], CompressionKind.NONE);
        for (int i = 0; i < records; i++) {
            byte[] word = ("word " + i).getBytes(StandardCharsets.UTF_8);
            List<Header> headers = i % 2 == 0 ? List.of() : List.of(new Header("a", word), new Header("b", null));
            assertThat(builder.tryAppend(1_000 + i, i == 2 ? null : word, word, headers))
                    .isTrue();
        }
        EncodedBatch batch = builder.finish(-1, (short) -1, -1);
        return Arrays.copyOfRange(batch.array(), batch.at(), batch.at() + batch.size());
    }

    private static byte[] pack(byte[] plain, CompressionKind kind) {
        ByteBuffer packed =
                Compression.compress(kind, plain, BatchHeader.SIZE, plain.length, new byte[4_096], BatchHeader.SIZE);
        byte[] batch = Arrays.copyOf(packed.array(), packed.position());
        System.arraycopy(plain, 0, batch, 0, BatchHeader.SIZE);
        batch[BatchHeader.ATTRIBUTES_AT + 1] |= (byte) kind.id();
        ByteBuffer.wrap(batch).putInt(LENGTH_AT, batch.length - NOT_IN_LENGTH);
        return batch;
    }

    private static void drain(BatchDecoder decoder) {
        while (decoder.next()) {
            // Each record is decoded and dropped.
        }
    }

    private static boolean refuses(Runnable reading) {
        try {
            reading.run();
            return false;
        } catch (InvalidBatchException e) {
            return true;
        }
    }
}
