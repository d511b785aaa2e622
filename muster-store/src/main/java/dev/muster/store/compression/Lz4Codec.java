package dev.muster.store.compression;

import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.lz4.LZ4Factory;

/** lz4 blocks by {@code lz4-java}, in the LZ4 frame as Kafka's Java clients write it: see {@link Lz4Input}. */
final class Lz4Codec implements CompressionCodec {
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    /** Blocks that are independent of each other, and no checksums: the batch has one. */
    private static final byte FLAGS = 0x60;
    /** Blocks of 64 KiB. */
    private static final byte DESCRIPTOR = 0x40;
    /** The second byte of the xxHash-32 of the two bytes above. */
    private static final byte HEADER_CHECKSUM = (byte) 0x82;

    private static final int BLOCK_BYTES = 64 << 10;

    private final LZ4Compressor compressor = LZ4Factory.fastestInstance().fastCompressor();

    @Override
    public void compress(byte[] bytes, int from, int to, GrowingArray target) throws IOException {
        writeInt(Lz4Input.MAGIC, target);
        target.write(FLAGS);
        target.write(DESCRIPTOR);
        target.write(HEADER_CHECKSUM);
        for (int at = from; at < to; at += BLOCK_BYTES) {
            writeBlock(bytes, at, Math.min(BLOCK_BYTES, to - at), target);
        }
        writeInt(Lz4Input.END, target);
    }

    private void writeBlock(byte[] bytes, int at, int length, GrowingArray target) {
        int sizeMax = compressor.maxCompressedLength(length);
        byte[] out = target.withRoom(Integer.BYTES + sizeMax);
        int size = compressor.compress(bytes, at, length, out, target.end() + Integer.BYTES, sizeMax);
        if (size < length) {
            INT.set(out, target.end(), size);
        } else {
            size = length;
            INT.set(out, target.end(), length | Lz4Input.UNCOMPRESSED);
            System.arraycopy(bytes, at, out, target.end() + Integer.BYTES, length);
        }
        target.advance(Integer.BYTES + size);
    }

    private static void writeInt(int value, GrowingArray target) {
        INT.set(target.withRoom(Integer.BYTES), target.end(), value);
        target.advance(Integer.BYTES);
    }

    @Override
    public InputStream decompress(byte[] bytes, int from, int to, int max) throws IOException {
        return new Lz4Input(bytes, from, to);
    }
}
