package dev.muster.store.compression;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.xerial.snappy.Snappy;

/**
 * Reads the snappy bytes of Kafka clients, for one thread: chunks behind a header, or one plain block.
 *
 * <pre>
 *   framed:  82 'SNAPPY' 00 | version 4 | compatible version 4 | chunks: length 4, block   (the header may come again)
 *   plain:   block
 *   block:   unpacked length, unsigned varint | elements
 * </pre>
 *
 * Numbers of 4 bytes are big-endian. The lengths are checked before the library sees them: it makes arrays of the size
 * that a block claims, and writes as many bytes without a look at the size of the array.
 */
final class SnappyInput extends BlockInputStream {
    static final byte[] MAGIC = {(byte) 0x82, 'S', 'N', 'A', 'P', 'P', 'Y', 0};
    static final int VERSION_AT = MAGIC.length;
    static final int COMPATIBLE_AT = VERSION_AT + Integer.BYTES;
    static final int HEADER_BYTES = COMPATIBLE_AT + Integer.BYTES;

    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    /** An element of three bytes unpacks to at most 64 bytes. */
    private static final long RATIO_MAX = 32;

    private static final int SMALL_BLOCK_BYTES = 64;

    private final byte[] bytes;
    private final int end;
    private final int max;
    private final boolean isFramed;
    /** The position of the next chunk, or of the plain block. */
    private int at;

    private int blockAt;
    private int blockLength;
    private int unpackedLength;

    /** @param max the largest size that a block may unpack to */
    SnappyInput(byte[] bytes, int from, int to, int max) throws IOException {
        if (from == to) {
            throw new IOException("there is no snappy block");
        }
        this.bytes = bytes;
        this.end = to;
        this.max = max;
        this.isFramed = isHeader(from);
        this.at = isFramed ? behindHeader(from) : from;
    }

    @Override
    int nextBlock() throws IOException {
        while (at < end) {
            if (isFramed) {
                goToChunk();
            } else {
                blockAt = at;
                blockLength = end - at;
            }
            at = blockAt + blockLength;
            unpackedLength = unpackedLength();
            if (unpackedLength > 0) {
                return unpackedLength;
            }
        }
        return -1;
    }

    private void goToChunk() throws IOException {
        // Only one header may stand before a chunk: the library of the Java clients fails on many in a row.
        int chunk = isHeader(at) ? behindHeader(at) : at;
        int length = end - chunk < Integer.BYTES ? -1 : (int) INT.get(bytes, chunk);
        if (length < 0 || length > end - chunk - Integer.BYTES) {
            throw new IOException("a chunk is longer than the batch");
        }
        blockAt = chunk + Integer.BYTES;
        blockLength = length;
    }

    private int unpackedLength() throws IOException {
        long length = 0;
        for (int i = 0; i < 5 && i < blockLength; i++) {
            byte part = bytes[blockAt + i];
            length |= (part & 0x7FL) << (7 * i);
            if (part >= 0) {
                if (length > max) {
                    throw new UnpackedSizeException(max);
                }
                if (length > RATIO_MAX * blockLength + SMALL_BLOCK_BYTES) {
                    throw new IOException("a block of " + blockLength + " bytes cannot unpack to " + length);
                }
                return (int) length;
            }
        }
        throw new IOException("a block has no length");
    }

    @Override
    int unpack(byte[] target, int targetAt) throws IOException {
        int unpacked = Snappy.uncompress(bytes, blockAt, blockLength, target, targetAt);
        if (unpacked != unpackedLength) {
            throw new IOException("a block unpacks to " + unpacked + " bytes and says " + unpackedLength);
        }
        return unpacked;
    }

    private boolean isHeader(int from) {
        return end - from >= HEADER_BYTES && Arrays.equals(bytes, from, from + MAGIC.length, MAGIC, 0, MAGIC.length);
    }

    private int behindHeader(int header) throws IOException {
        int version = (int) INT.get(bytes, header + VERSION_AT);
        if (version < 1) {
            throw new IOException("the snappy header has version " + version);
        }
        return header + HEADER_BYTES;
    }
}
