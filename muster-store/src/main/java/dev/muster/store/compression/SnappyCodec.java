package dev.muster.store.compression;

import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import org.xerial.snappy.Snappy;

/**
 * snappy blocks by {@code snappy-java}, in the frame of its streams, which Kafka clients use: see {@link SnappyInput}.
 */
final class SnappyCodec implements CompressionCodec {
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    private static final int BLOCK_BYTES = 32 << 10;
    private static final int VERSION = 1;

    @Override
    public void compress(byte[] bytes, int from, int to, GrowingArray target) throws IOException {
        writeHeader(target);
        for (int at = from; at < to; at += BLOCK_BYTES) {
            int length = Math.min(BLOCK_BYTES, to - at);
            byte[] out = target.withRoom(Integer.BYTES + Snappy.maxCompressedLength(length));
            int size = Snappy.compress(bytes, at, length, out, target.end() + Integer.BYTES);
            INT.set(out, target.end(), size);
            target.advance(Integer.BYTES + size);
        }
    }

    private static void writeHeader(GrowingArray target) {
        byte[] out = target.withRoom(SnappyInput.HEADER_BYTES);
        System.arraycopy(SnappyInput.MAGIC, 0, out, target.end(), SnappyInput.MAGIC.length);
        INT.set(out, target.end() + SnappyInput.VERSION_AT, VERSION);
        INT.set(out, target.end() + SnappyInput.COMPATIBLE_AT, VERSION);
        target.advance(SnappyInput.HEADER_BYTES);
    }

    @Override
    public InputStream decompress(byte[] bytes, int from, int to, int max) throws IOException {
        return new SnappyInput(bytes, from, to, max);
    }
}
