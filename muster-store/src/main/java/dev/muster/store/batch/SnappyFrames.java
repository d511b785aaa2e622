package dev.muster.store.batch;

import java.io.IOException;

/**
 * Looks at the lengths in snappy bytes before the library believes them: it makes arrays of the size that a chunk
 * claims, up to half a gigabyte, before it looks whether the chunk is there.
 *
 * <pre>
 *   framed:  82 'SNAPPY' 00 | version 4 | compatible version 4 | chunks: length 4, block   (the head may come again)
 *   plain:   block
 *   block:   unpacked length, unsigned varint | elements
 * </pre>
 */
final class SnappyFrames {
    private static final byte[] MAGIC = {(byte) 0x82, 'S', 'N', 'A', 'P', 'P', 'Y', 0};
    private static final int HEAD_SIZE = 16;
    /** Three bytes make 64 at most. */
    private static final long RATIO_MAX = 32;

    private static final int SMALL = 64;

    private SnappyFrames() {}

    static void check(byte[] bytes, int from, int to, int unpackedMax) throws IOException {
        if (!isHead(bytes, from, to)) {
            checkBlock(bytes, from, to, unpackedMax);
            return;
        }
        int at = from + HEAD_SIZE;
        while (at < to) {
            // Only one: the library calls itself for each head in a row, until the stack ends.
            if (isHead(bytes, at, to)) {
                at += HEAD_SIZE;
            }
            int length = to - at < 4 ? -1 : intAt(bytes, at);
            if (length < 0 || length > to - at - 4) {
                throw new IOException("a chunk is longer than the batch");
            }
            checkBlock(bytes, at + 4, at + 4 + length, unpackedMax);
            at += 4 + length;
        }
    }

    private static void checkBlock(byte[] bytes, int from, int to, int unpackedMax) throws IOException {
        long length = 0;
        for (int i = 0; i < 5 && from + i < to; i++) {
            length |= (bytes[from + i] & 0x7FL) << (7 * i);
            if (bytes[from + i] >= 0) {
                if (length > unpackedMax) {
                    throw new UnpackedSizeException(unpackedMax);
                }
                if (length > RATIO_MAX * (to - from) + SMALL) {
                    throw new IOException("a block of " + (to - from) + " bytes cannot unpack to " + length);
                }
                return;
            }
        }
        throw new IOException("a block does not say its length");
    }

    private static boolean isHead(byte[] bytes, int at, int to) {
        if (to - at < HEAD_SIZE) {
            return false;
        }
        for (int i = 0; i < MAGIC.length; i++) {
            if (bytes[at + i] != MAGIC[i]) {
                return false;
            }
        }
        return true;
    }

    private static int intAt(byte[] bytes, int at) {
        return (bytes[at] & 0xFF) << 24
                | (bytes[at + 1] & 0xFF) << 16
                | (bytes[at + 2] & 0xFF) << 8
                | bytes[at + 3] & 0xFF;
    }
}
