package dev.muster.store.compression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.core.CompressionKind;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.lz4.LZ4FrameOutputStream;
import net.jpountz.lz4.LZ4FrameOutputStream.BLOCKSIZE;
import net.jpountz.lz4.LZ4FrameOutputStream.FLG.Bits;
import net.jpountz.xxhash.XXHashFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Goal: the frames of clients in other languages. Method: every choice of the frame format, beside Kafka's reader. */
class Lz4InputTest {
    private static final int FLAGS_AT = 4;
    private static final int DESCRIPTOR_AT = 5;
    private static final int CHECKSUM_AT = 6;

    private final byte[] bytes = "a record of some length, ".repeat(20_000).getBytes(StandardCharsets.UTF_8);

    @ParameterizedTest
    @EnumSource
    void framesWithAnyBlockSizeAreRead(BLOCKSIZE size) throws IOException {
        for (Bits[] more : new Bits[][] {
            {}, {Bits.CONTENT_CHECKSUM}, {Bits.BLOCK_CHECKSUM}, {Bits.BLOCK_CHECKSUM, Bits.CONTENT_CHECKSUM}
        }) {
            Bits[] flags = Arrays.copyOf(more, more.length + 1);
            flags[more.length] = Bits.BLOCK_INDEPENDENCE;
            assertBothRead(frame(size, -1, flags));
        }
        assertBothRead(frame(size, bytes.length, Bits.BLOCK_INDEPENDENCE, Bits.CONTENT_SIZE));
    }

    @ParameterizedTest
    @CsvSource({"0x40, flags 0x40", "0x20, flags 0x20", "0x61, flags 0x61", "0x62, flags 0x62", "0xA0, flags 0xa0"})
    void framesThatKafkaDoesNotReadAreRefused(String flags, String problem) throws IOException {
        byte[] frame = frame(BLOCKSIZE.SIZE_64KB, -1, Bits.BLOCK_INDEPENDENCE);
        frame[FLAGS_AT] = (byte) (int) Integer.decode(flags);
        assertBothRefuse(withHeaderChecksum(frame), problem);
    }

    @ParameterizedTest
    @CsvSource({"0x30", "0x00", "0x41", "0x48", "0xC0"})
    void wrongBlockDescriptorIsRefused(String descriptor) throws IOException {
        byte[] frame = frame(BLOCKSIZE.SIZE_64KB, -1, Bits.BLOCK_INDEPENDENCE);
        frame[DESCRIPTOR_AT] = (byte) (int) Integer.decode(descriptor);
        assertBothRefuse(withHeaderChecksum(frame), "block descriptor");
    }

    @Test
    void wrongChecksumsAreRefused() throws IOException {
        byte[] header = frame(BLOCKSIZE.SIZE_64KB, -1, Bits.BLOCK_INDEPENDENCE);
        header[CHECKSUM_AT] ^= 1;
        assertBothRefuse(header, "the checksum of the LZ4 frame's header does not hold");

        byte[] block = frame(BLOCKSIZE.SIZE_4MB, -1, Bits.BLOCK_INDEPENDENCE, Bits.BLOCK_CHECKSUM);
        // Behind the block: its checksum and the end mark.
        block[block.length - 8] ^= 1;
        assertBothRefuse(block, "the checksum of a block does not hold");
    }

    @Test
    void wrongMagicIsRefused() throws IOException {
        byte[] frame = frame(BLOCKSIZE.SIZE_64KB, -1, Bits.BLOCK_INDEPENDENCE);
        frame[0] ^= 1;
        assertBothRefuse(frame, "there is no LZ4 frame");
    }

    @Test
    void blockLongerThanTheFrameAllowsIsRefused() throws IOException {
        byte[] frame = frame(BLOCKSIZE.SIZE_64KB, -1, Bits.BLOCK_INDEPENDENCE);
        ByteBuffer.wrap(frame).order(ByteOrder.LITTLE_ENDIAN).putInt(7, (64 << 10) + 1);
        assertBothRefuse(frame, "a block of 65537 bytes, the LZ4 frame allows 65536");
    }

    @Test
    void blockThatUnpacksToMoreThanTheFrameAllowsIsRefused() throws IOException {
        byte[] block = LZ4Factory.fastestInstance().fastCompressor().compress(new byte[(64 << 10) + 1]);
        assertBothRefuse(frameOf(block), "a block is damaged");
    }

    /** For the Java client the records end at such a block. */
    @Test
    void blockWithoutBytesIsRefused() {
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> decompress(frameOf(new byte[] {0})))
                .withMessage("a block unpacks to no bytes");
    }

    @Test
    void bytesBehindTheFrameAreIgnored() throws IOException {
        byte[] frame = frame(BLOCKSIZE.SIZE_64KB, -1, Bits.BLOCK_INDEPENDENCE);
        byte[] longer = Arrays.copyOf(frame, frame.length + 9);
        assertBothRead(longer);
    }

    @Test
    void fewBytesThatUnpackToAFullBlockAreRead() throws IOException {
        byte[] zeros = new byte[4 << 20];
        byte[] block = LZ4Factory.fastestInstance().highCompressor().compress(zeros);
        byte[] frame = frameOf(block);
        frame[DESCRIPTOR_AT] = 0x70;
        assertThat(decompress(withHeaderChecksum(frame))).isEqualTo(zeros);
    }

    @Test
    void headerChecksumOfOurFramesHolds() {
        byte[] ours = Compression.compress(CompressionKind.LZ4, bytes, 0, 1, new byte[100], 0)
                .array();
        assertThat(withHeaderChecksum(ours.clone())).isEqualTo(ours);
    }

    /** Goal: the same verdict as Kafka's client. Method: frames with a wrong byte in the header or at a block. */
    @Test
    void bothSidesRefuseTheSameDamagedFrames() throws IOException {
        long seed = Long.getLong("muster.seed", new Random().nextLong());
        Random random = new Random(seed);
        byte[] whole = frame(BLOCKSIZE.SIZE_64KB, bytes.length, Bits.BLOCK_INDEPENDENCE, Bits.CONTENT_SIZE);
        for (int round = 0; round < 2_000; round++) {
            byte[] frame = whole.clone();
            frame[random.nextInt(40)] = (byte) random.nextInt();
            byte[] damaged = random.nextBoolean() ? withHeaderChecksum(frame) : frame;
            assertThat(refuses(() -> decompress(damaged)))
                    .as("seed %d, round %d: %s", seed, round, Arrays.toString(Arrays.copyOf(damaged, 40)))
                    .isEqualTo(refuses(() -> KafkaStreams.decompress(CompressionKind.LZ4, damaged)));
        }
    }

    private void assertBothRead(byte[] frame) throws IOException {
        assertThat(KafkaStreams.decompress(CompressionKind.LZ4, frame)).isEqualTo(bytes);
        assertThat(decompress(frame)).isEqualTo(bytes);
    }

    private static void assertBothRefuse(byte[] frame, String problem) {
        assertThatThrownBy(() -> KafkaStreams.decompress(CompressionKind.LZ4, frame))
                .isInstanceOf(Exception.class);
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> decompress(frame))
                .withMessageContaining(problem);
    }

    private interface Reading {
        byte[] read() throws IOException;
    }

    private static boolean refuses(Reading reading) {
        try {
            reading.read();
            return false;
        } catch (IOException | RuntimeException e) {
            return true;
        }
    }

    private static byte[] decompress(byte[] frame) throws IOException {
        ByteBuffer out = Compression.decompress(CompressionKind.LZ4, frame, 0, frame.length, new byte[0], 8 << 20);
        return Arrays.copyOf(out.array(), out.position());
    }

    private byte[] frame(BLOCKSIZE size, long contentSize, Bits... flags) throws IOException {
        ByteArrayOutputStream frame = new ByteArrayOutputStream();
        try (LZ4FrameOutputStream out = new LZ4FrameOutputStream(frame, size, contentSize, flags)) {
            out.write(bytes);
        }
        return frame.toByteArray();
    }

    private static byte[] frameOf(byte[] block) {
        return ByteBuffer.allocate(7 + 4 + block.length + 4)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(Lz4Input.MAGIC)
                .put(new byte[] {0x60, 0x40, (byte) 0x82})
                .putInt(block.length)
                .put(block)
                .putInt(Lz4Input.END)
                .array();
    }

    private static byte[] withHeaderChecksum(byte[] frame) {
        int length = (frame[FLAGS_AT] & 1 << 3) != 0 ? 10 : 2;
        int hash = XXHashFactory.fastestInstance().hash32().hash(frame, FLAGS_AT, length, 0);
        frame[FLAGS_AT + length] = (byte) (hash >> 8);
        return frame;
    }
}
