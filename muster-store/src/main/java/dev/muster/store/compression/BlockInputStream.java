package dev.muster.store.compression;

import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;

/**
 * A stream over a frame of compressed blocks, for one thread. A block is unpacked straight into the reader's array if
 * there is room for it, else into an array of the stream.
 */
abstract class BlockInputStream extends InputStream {
    private static final byte[] NOTHING = {};

    private byte[] block = NOTHING;
    private int blockAt;
    private int blockEnd;

    /**
     * Goes to the next block that has bytes.
     *
     * @return the size that the block unpacks to at most; -1 at the end of the frame
     * @throws IOException if the frame is damaged
     */
    abstract int nextBlock() throws IOException;

    /**
     * Unpacks the block that {@link #nextBlock} went to.
     *
     * @param at the position in {@code target} of the first unpacked byte. As many bytes as {@code nextBlock} returned
     *     fit behind it
     * @return the unpacked size, greater than 0
     * @throws IOException if the block is damaged
     */
    abstract int unpack(byte[] target, int at) throws IOException;

    @Override
    public int read(byte[] target, int from, int length) throws IOException {
        Objects.checkFromIndexSize(from, length, target.length);
        if (length == 0) {
            return 0;
        }
        if (blockAt == blockEnd) {
            int sizeMax = nextBlock();
            if (sizeMax < 0) {
                return -1;
            }
            if (sizeMax <= length) {
                return unpack(target, from);
            }
            if (block.length < sizeMax) {
                block = new byte[sizeMax];
            }
            blockAt = 0;
            blockEnd = 0;
            blockEnd = unpack(block, 0);
        }
        int read = Math.min(length, blockEnd - blockAt);
        System.arraycopy(block, blockAt, target, from, read);
        blockAt += read;
        return read;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }
}
