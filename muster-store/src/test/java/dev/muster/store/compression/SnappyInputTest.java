package dev.muster.store.compression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.muster.core.CompressionKind;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.xerial.snappy.Snappy;
import org.xerial.snappy.SnappyOutputStream;

/** The forms of snappy bytes that Kafka clients write, and lengths that are wrong. */
class SnappyInputTest {
    private final byte[] bytes = "a record of some length, ".repeat(10_000).getBytes(StandardCharsets.UTF_8);

    /** librdkafka and others write one block without a frame. */
    @Test
    void plainBlockIsRead() throws IOException {
        assertBothRead(Snappy.compress(bytes));
    }

    @Test
    void framesWithLargeBlocksAreRead() throws IOException {
        ByteArrayOutputStream frame = new ByteArrayOutputStream();
        try (SnappyOutputStream out = new SnappyOutputStream(frame, 1 << 20)) {
            out.write(bytes);
        }
        assertBothRead(frame.toByteArray());
    }

    /** A python client writes the version in the byte order of its machine. */
    @Test
    void framesWithVersionInTheOtherByteOrderAreRead() throws IOException {
        byte[] frame = KafkaStreams.compress(CompressionKind.SNAPPY, bytes);
        ByteBuffer.wrap(frame).putInt(SnappyInput.VERSION_AT, 1 << 24).putInt(SnappyInput.COMPATIBLE_AT, 1 << 24);
        assertBothRead(frame);
    }

    @Test
    void framesOneBehindTheOtherAreRead() throws IOException {
        byte[] half = KafkaStreams.compress(CompressionKind.SNAPPY, Arrays.copyOf(bytes, 100_000));
        byte[] rest = KafkaStreams.compress(CompressionKind.SNAPPY, Arrays.copyOfRange(bytes, 100_000, bytes.length));
        byte[] both = Arrays.copyOf(half, half.length + rest.length);
        System.arraycopy(rest, 0, both, half.length, rest.length);
        assertBothRead(both);
    }

    @Test
    void chunkWithoutBytesIsSkipped() throws IOException {
        byte[] frame = KafkaStreams.compress(CompressionKind.SNAPPY, bytes);
        byte[] longer = new byte[frame.length + 5];
        System.arraycopy(frame, 0, longer, 0, SnappyInput.HEADER_BYTES);
        longer[SnappyInput.HEADER_BYTES + 3] = 1;
        System.arraycopy(
                frame,
                SnappyInput.HEADER_BYTES,
                longer,
                SnappyInput.HEADER_BYTES + 5,
                frame.length - SnappyInput.HEADER_BYTES);
        assertBothRead(longer);
    }

    @Test
    void versionZeroIsRefused() throws IOException {
        byte[] frame = KafkaStreams.compress(CompressionKind.SNAPPY, bytes);
        ByteBuffer.wrap(frame).putInt(SnappyInput.VERSION_AT, 0);
        assertRefused(frame, "the snappy header has version 0");
    }

    @Test
    void wrongLengthsAreRefused() throws IOException {
        byte[] frame = KafkaStreams.compress(CompressionKind.SNAPPY, bytes);
        int chunk = SnappyInput.HEADER_BYTES;
        assertRefused(with(frame, chunk, 0x10), "a chunk is longer than the batch");
        assertRefused(with(frame, chunk, 0x80), "a chunk is longer than the batch");
        assertRefused(Arrays.copyOf(frame, chunk + 3), "a chunk is longer than the batch");
        byte[] claim = {(byte) 0xFF, (byte) 0xFF, 0x7F, 0};
        assertRefused(claim, "a block of 4 bytes cannot unpack to 2097151");
        byte[] bomb = {(byte) 0xFF, (byte) 0xFF, (byte) 0xFF, (byte) 0xFF, 0x07, 0};
        assertRefused(bomb, "it unpacks to more than");
        byte[] endless = {(byte) 0xFF, (byte) 0xFF, (byte) 0xFF, (byte) 0xFF, (byte) 0xFF, (byte) 0xFF};
        assertRefused(endless, "a block has no length");
        assertRefused(new byte[0], "there is no snappy block");
    }

    private void assertBothRead(byte[] compressed) throws IOException {
        assertThat(KafkaStreams.decompress(CompressionKind.SNAPPY, compressed)).isEqualTo(bytes);
        assertThat(decompress(compressed)).isEqualTo(bytes);
    }

    private static void assertRefused(byte[] compressed, String problem) {
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> decompress(compressed))
                .withMessageContaining(problem);
    }

    private static byte[] decompress(byte[] compressed) throws IOException {
        ByteBuffer out =
                Compression.decompress(CompressionKind.SNAPPY, compressed, 0, compressed.length, new byte[0], 4 << 20);
        return Arrays.copyOf(out.array(), out.position());
    }

    private static byte[] with(byte[] bytes, int at, int value) {
        byte[] changed = bytes.clone();
        changed[at] = (byte) value;
        return changed;
    }
}
