package dev.muster.store.compression;

import dev.muster.core.CompressionKind;
import dev.muster.core.CompressionUnavailableException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Compresses and decompresses the body of a batch: Kafka clients read what it writes, and it reads what they write.
 * Safe for many threads. No method takes {@link CompressionKind#NONE}.
 */
public final class Compression {
    private static final int UNPACKED_SIZE_FIRST = 4 << 10;

    private Compression() {}

    /**
     * Checks that this process has the library of a compression. The native part of the library is not loaded yet.
     *
     * @throws CompressionUnavailableException if the library is missing
     */
    public static void require(CompressionKind kind) {
        Codecs.require(kind);
    }

    /**
     * Compresses {@code bytes[from..to)} into {@code target} from position {@code at} on, or into a larger array that
     * begins with the same {@code at} bytes.
     *
     * @return the array that was used, with the position behind the last byte
     * @throws CompressionUnavailableException if the library is missing or does not work here
     */
    public static ByteBuffer compress(CompressionKind kind, byte[] bytes, int from, int to, byte[] target, int at) {
        GrowingArray out = new GrowingArray(target, at);
        try {
            Codecs.of(kind).compress(bytes, from, to, out);
        } catch (IOException e) {
            throw new UncheckedIOException(kind + " compression in memory failed", e);
        }
        return ByteBuffer.wrap(out.array()).position(out.end());
    }

    /**
     * Decompresses {@code bytes[from..to)} into {@code target}, or into a larger array.
     *
     * @param max the limit of the unpacked size: decompression stops there, whatever size the bytes claim
     * @return the array that was used, from 0 to the position behind the last byte
     * @throws UnpackedSizeException if the bytes unpack to more than {@code max}, or to more than there is memory for
     * @throws IOException if the bytes are damaged
     * @throws CompressionUnavailableException if the library is missing or does not work here
     */
    public static ByteBuffer decompress(CompressionKind kind, byte[] bytes, int from, int to, byte[] target, int max)
            throws IOException {
        byte[] out = target.length > 0
                ? target
                : new byte[(int) Math.min(max, Math.max(4L * (to - from), UNPACKED_SIZE_FIRST))];
        int end = 0;
        try (InputStream in = stream(kind, bytes, from, to, max)) {
            while (true) {
                if (end == out.length) {
                    out = Arrays.copyOf(out, (int) Math.min(2L * end, max + 1L));
                }
                int read = in.read(out, end, out.length - end);
                if (read < 0) {
                    return ByteBuffer.wrap(out).position(end);
                }
                end += read;
                if (end > max) {
                    throw new UnpackedSizeException(max);
                }
            }
        } catch (OutOfMemoryError e) {
            throw new UnpackedSizeException(end, e);
        }
    }

    /**
     * A stream that decompresses {@code bytes[from..to)}, for one thread. The bytes must not change while it is read.
     *
     * @param max the number of bytes behind which the caller stops reading: the stream unpacks no larger piece at once
     * @throws IOException if the bytes are damaged; the stream throws the same
     * @throws CompressionUnavailableException if the library is missing or does not work here
     */
    public static InputStream stream(CompressionKind kind, byte[] bytes, int from, int to, int max) throws IOException {
        return Codecs.of(kind).decompress(bytes, from, to, max);
    }
}
