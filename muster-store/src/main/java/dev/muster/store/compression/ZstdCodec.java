package dev.muster.store.compression;

import com.github.luben.zstd.RecyclingBufferPool;
import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import com.github.luben.zstd.ZstdOutputStreamNoFinalizer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;

/** zstd by the streams of {@code zstd-jni}, which Kafka's Java client uses too. */
final class ZstdCodec implements CompressionCodec {
    @Override
    public void compress(byte[] bytes, int from, int to, GrowingArray target) throws IOException {
        try (ZstdOutputStreamNoFinalizer out =
                new ZstdOutputStreamNoFinalizer(target, RecyclingBufferPool.INSTANCE, Zstd.defaultCompressionLevel())) {
            if (from < to) {
                out.write(bytes, from, to - from);
                // The Java client flushes, which ends a block: so the bytes are the same.
                out.flush();
            }
        }
    }

    @Override
    public InputStream decompress(byte[] bytes, int from, int to, int max) throws IOException {
        return new ZstdInputStreamNoFinalizer(
                new ByteArrayInputStream(bytes, from, to - from), RecyclingBufferPool.INSTANCE);
    }
}
