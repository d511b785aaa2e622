package dev.muster.store.compression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.core.CompressionKind;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Goal: one format with Kafka clients. Method: each side decompresses the bytes of the other. */
class CompressionTest {
    private static final long SEED = Long.getLong("muster.seed", new Random().nextLong());
    private static final int MAX = 4 << 20;
    private static final int FUZZ_ROUNDS = 3_000;

    static {
        System.out.println("CompressionTest: -Dmuster.seed=" + SEED);
    }

    private final Random random = new Random(SEED);

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void kafkaDecompressesOurBytes(CompressionKind kind) throws IOException {
        for (Map.Entry<String, byte[]> sample : samples().entrySet()) {
            assertThat(KafkaStreams.decompress(kind, compress(kind, sample.getValue())))
                    .as(sample.getKey())
                    .isEqualTo(sample.getValue());
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void weDecompressTheBytesOfKafka(CompressionKind kind) throws IOException {
        for (Map.Entry<String, byte[]> sample : samples().entrySet()) {
            assertReads(kind, KafkaStreams.compress(kind, sample.getValue()), sample);
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void weDecompressOurBytes(CompressionKind kind) throws IOException {
        for (Map.Entry<String, byte[]> sample : samples().entrySet()) {
            assertReads(kind, compress(kind, sample.getValue()), sample);
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void compressedBytesEqualThoseOfKafka(CompressionKind kind) throws IOException {
        for (Map.Entry<String, byte[]> sample : samples().entrySet()) {
            assertThat(compress(kind, sample.getValue()))
                    .as(sample.getKey())
                    .isEqualTo(KafkaStreams.compress(kind, sample.getValue()));
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void compressedBytesGoBehindTheBytesOfTheTarget(CompressionKind kind) throws IOException {
        byte[] bytes = mixed(100_000);
        byte[] compressed = compress(kind, bytes);
        for (int room : new int[] {0, 1, compressed.length - 1, compressed.length, 200_000}) {
            byte[] target = new byte[61 + room];
            Arrays.fill(target, 0, 61, (byte) 7);
            ByteBuffer out = Compression.compress(kind, bytes, 0, bytes.length, target, 61);
            assertThat(Arrays.copyOf(out.array(), 61)).containsOnly(7);
            assertThat(decompress(kind, Arrays.copyOfRange(out.array(), 61, out.position()), MAX))
                    .as("room for %d bytes", room)
                    .isEqualTo(bytes);
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void decompressionStopsAtTheLimit(CompressionKind kind) throws IOException {
        byte[] compressed = compress(kind, new byte[1 << 20]);

        assertThat(decompress(kind, compressed, 1 << 20)).hasSize(1 << 20);
        assertThatExceptionOfType(UnpackedSizeException.class)
                .isThrownBy(() -> decompress(kind, compressed, (1 << 20) - 1))
                .withMessage("it unpacks to more than 1048575 bytes");
        assertThatExceptionOfType(UnpackedSizeException.class).isThrownBy(() -> decompress(kind, compressed, 10));
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void cutBytesAreRefused(CompressionKind kind) throws IOException {
        byte[] compressed = compress(kind, mixed(2_000));
        // For zstd no bytes are no frames.
        for (int size = kind == CompressionKind.ZSTD ? 1 : 0; size < compressed.length; size++) {
            byte[] cut = Arrays.copyOf(compressed, size);
            // A snappy frame has no end mark: where a chunk ends, the frame may end.
            if (kind != CompressionKind.SNAPPY || size != SnappyInput.HEADER_BYTES) {
                assertThatThrownBy(() -> decompress(kind, cut, MAX))
                        .as("%d of %d bytes", size, compressed.length)
                        .isInstanceOf(IOException.class)
                        .message()
                        .isNotBlank();
            }
        }
    }

    /** Goal: wrong bytes do no harm. Method: decompress bytes with random wrong ones among them. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void damagedBytesGiveAnIoExceptionOrBytesBelowTheLimit(CompressionKind kind) throws IOException {
        List<byte[]> whole = List.of(
                compress(kind, mixed(200)), compress(kind, mixed(150_000)), KafkaStreams.compress(kind, mixed(70_000)));
        int max = 1 << 20;
        int refused = 0;
        for (int round = 0; round < FUZZ_ROUNDS; round++) {
            byte[] bytes = whole.get(random.nextInt(whole.size())).clone();
            for (int i = random.nextInt(4); i >= 0; i--) {
                int near = random.nextBoolean() ? Math.min(40, bytes.length) : bytes.length;
                bytes[random.nextInt(near)] = (byte) random.nextInt();
            }
            byte[] damaged = random.nextInt(4) == 0 ? Arrays.copyOf(bytes, random.nextInt(bytes.length)) : bytes;
            try {
                assertThat(decompress(kind, damaged, max)).hasSizeLessThanOrEqualTo(max);
            } catch (IOException e) {
                assertThat(e.getMessage()).isNotBlank();
                refused++;
            } catch (Throwable e) {
                throw new AssertionError("seed " + SEED + ", round " + round, e);
            }
        }
        assertThat(refused).isGreaterThan(FUZZ_ROUNDS / 10);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void randomBytesAreRefused(CompressionKind kind) {
        for (int round = 0; round < 1_000; round++) {
            byte[] bytes = random(1 + random.nextInt(200));
            bytes = kind == CompressionKind.SNAPPY ? Arrays.copyOf(new byte[] {(byte) 0xFF, (byte) 0xFF}, 100) : bytes;
            byte[] input = bytes;
            assertThatThrownBy(() -> decompress(kind, input, MAX))
                    .isInstanceOf(IOException.class)
                    .message()
                    .isNotBlank();
        }
    }

    @Test
    void streamIsReadInPiecesOfAnySize() throws IOException {
        byte[] bytes = mixed(300_000);
        for (CompressionKind kind : List.of(CompressionKind.LZ4, CompressionKind.SNAPPY)) {
            byte[] compressed = compress(kind, bytes);
            byte[] read = new byte[bytes.length];
            int end = 0;
            try (InputStream in = Compression.stream(kind, compressed, 0, compressed.length, MAX)) {
                while (end < read.length) {
                    int wanted = Math.min(read.length - end, random.nextBoolean() ? 1 + random.nextInt(9) : 100_000);
                    if (wanted == 1) {
                        read[end++] = (byte) in.read();
                    } else {
                        int part = in.read(read, end, wanted);
                        assertThat(part).isPositive();
                        end += part;
                    }
                }
                assertThat(in.read()).isEqualTo(-1);
                assertThat(in.read(read, 0, 1)).isEqualTo(-1);
            }
            assertThat(read).isEqualTo(bytes);
        }
    }

    private void assertReads(CompressionKind kind, byte[] compressed, Map.Entry<String, byte[]> sample)
            throws IOException {
        assertThat(decompress(kind, compressed, MAX)).as(sample.getKey()).isEqualTo(sample.getValue());
        try (InputStream in = Compression.stream(kind, compressed, 0, compressed.length, MAX)) {
            assertThat(in.readAllBytes()).as(sample.getKey()).isEqualTo(sample.getValue());
        }
    }

    private static byte[] compress(CompressionKind kind, byte[] bytes) {
        // Away from the begin and the end of the array.
        byte[] wide = new byte[bytes.length + 11];
        System.arraycopy(bytes, 0, wide, 5, bytes.length);
        ByteBuffer out = Compression.compress(kind, wide, 5, 5 + bytes.length, new byte[0], 0);
        return Arrays.copyOf(out.array(), out.position());
    }

    private static byte[] decompress(CompressionKind kind, byte[] compressed, int max) throws IOException {
        byte[] wide = new byte[compressed.length + 11];
        System.arraycopy(compressed, 0, wide, 5, compressed.length);
        ByteBuffer out = Compression.decompress(kind, wide, 5, 5 + compressed.length, new byte[0], max);
        return Arrays.copyOf(out.array(), out.position());
    }

    private Map<String, byte[]> samples() {
        Map<String, byte[]> samples = new TreeMap<>();
        Stream.of(0, 1, 2, 100, 32 << 10, (32 << 10) + 1, (64 << 10) - 1, 64 << 10, (64 << 10) + 1, 128 << 10, 1 << 20)
                .forEach(size -> {
                    samples.put(size + " zeros", new byte[size]);
                    samples.put(size + " random bytes", random(size));
                    samples.put(size + " bytes of text and chance", mixed(size));
                });
        return samples;
    }

    private byte[] random(int size) {
        byte[] bytes = new byte[size];
        random.nextBytes(bytes);
        return bytes;
    }

    /** Words, with a few bytes between them that do not repeat. */
    private byte[] mixed(int size) {
        ByteBuffer bytes = ByteBuffer.allocate(size + 100);
        while (bytes.position() < size) {
            bytes.put("order %d of customer %d"
                    .formatted(bytes.position(), random.nextInt(50))
                    .getBytes(StandardCharsets.UTF_8));
            bytes.put(random(random.nextInt(12)));
        }
        return Arrays.copyOf(bytes.array(), size);
    }
}
