package dev.muster.store.compression;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/** gzip by the JDK. */
final class GzipCodec implements CompressionCodec {
    private static final int BUFFER_BYTES_MIN = 512;
    private static final int BUFFER_BYTES_MAX = 8 << 10;

    @Override
    public void compress(byte[] bytes, int from, int to, GrowingArray target) throws IOException {
        try (GZIPOutputStream out = new GZIPOutputStream(target, BUFFER_BYTES_MAX)) {
            out.write(bytes, from, to - from);
        }
    }

    @Override
    public InputStream decompress(byte[] bytes, int from, int to, int max) throws IOException {
        try {
            int bufferBytes = Math.clamp(to - from, BUFFER_BYTES_MIN, BUFFER_BYTES_MAX);
            return new Input(new ByteArrayInputStream(bytes, from, to - from), bufferBytes);
        } catch (EOFException e) {
            throw new IOException("the gzip header is not complete", e);
        }
    }

    private static final class Input extends GZIPInputStream {
        private Input(InputStream in, int bufferBytes) throws IOException {
            super(in, bufferBytes);
        }

        @Override
        public int read(byte[] target, int from, int length) throws IOException {
            try {
                return super.read(target, from, length);
            } catch (EOFException e) {
                throw new IOException("the gzip bytes end too early", e);
            }
        }
    }
}
