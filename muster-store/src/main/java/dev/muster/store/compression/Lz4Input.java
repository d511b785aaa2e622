package dev.muster.store.compression;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import net.jpountz.lz4.LZ4Exception;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.lz4.LZ4SafeDecompressor;
import net.jpountz.xxhash.XXHash32;
import net.jpountz.xxhash.XXHashFactory;

/**
 * Reads one LZ4 frame, for one thread. It accepts the frames that Kafka's Java client accepts, because a batch that one
 * client cannot read must not get into a log.
 *
 * <pre>
 *   frame:   magic 4 | flags 1 | descriptor 1 | content size 8, if flagged | header checksum 1 | blocks
 *            | end 4, 0 | content checksum 4, if flagged
 *   flags:   bits 6-7 version 1 | 5 independent blocks | 4 block checksums | 3 content size | 2 content checksum | 0-1 zero
 *   descriptor: bits 4-6 size of a block: 4 is 64 KiB, 5 256 KiB, 6 1 MiB, 7 4 MiB | the others zero
 *   block:   length 4, the top bit says that it is not compressed | bytes | checksum 4, if flagged
 * </pre>
 *
 * Numbers of 4 and 8 bytes are little-endian. A checksum is xxHash-32; the one of the header is its second byte, over
 * flags to content size. Blocks must be independent. Content size and content checksum are skipped, because the batch
 * has a checksum, and bytes behind the frame are not looked at.
 */
final class Lz4Input extends BlockInputStream {
    static final int MAGIC = 0x184D2204;
    static final int UNCOMPRESSED = 1 << 31;
    static final int END = 0;

    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final LZ4SafeDecompressor DECOMPRESSOR =
            LZ4Factory.fastestInstance().safeDecompressor();
    private static final XXHash32 CHECKSUM = XXHashFactory.fastestInstance().hash32();
    private static final int HEADER_BYTES_MIN = 7;
    private static final int FLAGS_AT = 4;
    private static final int DESCRIPTOR_AT = 5;
    private static final int BLOCK_CHECKSUMS = 1 << 4;
    private static final int CONTENT_SIZE = 1 << 3;
    private static final int CONTENT_CHECKSUM = 1 << 2;
    /** The flags that must be as they are in {@link #FIXED_FLAGS}: version 1, independent blocks, two zero bits. */
    private static final int FIXED_FLAGS_MASK = 0xE3;

    private static final int FIXED_FLAGS = 0x60;
    private static final int DESCRIPTOR_ZERO_MASK = 0x8F;
    /** A byte of a block unpacks to at most 255 bytes; the sum covers blocks of few bytes. */
    private static final int RATIO_MAX = 255;

    private static final int SMALL_BLOCK_BYTES = 64;

    private final byte[] bytes;
    private final int end;
    private final int blockSizeMax;
    private final boolean hasBlockChecksums;
    private final boolean hasContentChecksum;
    /** The position of the next block's length. */
    private int at;

    private int blockAt;
    private int blockLength;
    private int unpackedMax;
    private boolean isCompressed;
    private boolean atEnd;

    Lz4Input(byte[] bytes, int from, int to) throws IOException {
        this.bytes = bytes;
        this.end = to;
        this.at = from;
        require(HEADER_BYTES_MIN);
        if ((int) INT.get(bytes, from) != MAGIC) {
            throw new IOException("there is no LZ4 frame");
        }
        int flags = bytes[from + FLAGS_AT];
        int descriptor = bytes[from + DESCRIPTOR_AT];
        if ((flags & FIXED_FLAGS_MASK) != FIXED_FLAGS) {
            throw new IOException("the LZ4 frame has flags " + hex(flags) + ", which Kafka clients do not read");
        }
        int sizeCode = descriptor >> 4;
        if ((descriptor & DESCRIPTOR_ZERO_MASK) != 0 || sizeCode < 4) {
            throw new IOException("the LZ4 frame has block descriptor " + hex(descriptor));
        }
        this.blockSizeMax = 1 << (8 + 2 * sizeCode);
        this.hasBlockChecksums = (flags & BLOCK_CHECKSUMS) != 0;
        this.hasContentChecksum = (flags & CONTENT_CHECKSUM) != 0;
        checkHeader(from + FLAGS_AT, (flags & CONTENT_SIZE) != 0 ? 2 + Long.BYTES : 2);
    }

    private void checkHeader(int headerAt, int length) throws IOException {
        at = headerAt;
        require(length + 1);
        at = headerAt + length;
        if (bytes[at] != (byte) (CHECKSUM.hash(bytes, headerAt, length, 0) >> 8)) {
            throw new IOException("the checksum of the LZ4 frame's header does not hold");
        }
        at++;
    }

    @Override
    int nextBlock() throws IOException {
        if (atEnd) {
            return -1;
        }
        require(Integer.BYTES);
        int length = (int) INT.get(bytes, at);
        at += Integer.BYTES;
        isCompressed = (length & UNCOMPRESSED) == 0;
        blockLength = length & ~UNCOMPRESSED;
        if (blockLength == END) {
            atEnd = true;
            require(hasContentChecksum ? Integer.BYTES : 0);
            return -1;
        }
        if (blockLength > blockSizeMax) {
            throw new IOException("a block of " + blockLength + " bytes, the LZ4 frame allows " + blockSizeMax);
        }
        require(blockLength);
        blockAt = at;
        at += blockLength;
        if (hasBlockChecksums) {
            checkBlock();
        }
        unpackedMax = isCompressed
                ? (int) Math.min(blockSizeMax, (long) RATIO_MAX * blockLength + SMALL_BLOCK_BYTES)
                : blockLength;
        return unpackedMax;
    }

    private void checkBlock() throws IOException {
        require(Integer.BYTES);
        if ((int) INT.get(bytes, at) != CHECKSUM.hash(bytes, blockAt, blockLength, 0)) {
            throw new IOException("the checksum of a block does not hold");
        }
        at += Integer.BYTES;
    }

    @Override
    int unpack(byte[] target, int targetAt) throws IOException {
        if (!isCompressed) {
            System.arraycopy(bytes, blockAt, target, targetAt, blockLength);
            return blockLength;
        }
        int unpacked;
        try {
            unpacked = DECOMPRESSOR.decompress(bytes, blockAt, blockLength, target, targetAt, unpackedMax);
        } catch (LZ4Exception | IndexOutOfBoundsException e) {
            throw new IOException("a block is damaged: " + e.getMessage(), e);
        }
        if (unpacked == 0) {
            // For the Java client the frame ends here.
            throw new IOException("a block unpacks to no bytes");
        }
        return unpacked;
    }

    private void require(int size) throws IOException {
        if (size > end - at) {
            throw new IOException("the LZ4 frame ends too early");
        }
    }

    private static String hex(int value) {
        return "0x%02x".formatted(value & 0xFF);
    }
}
