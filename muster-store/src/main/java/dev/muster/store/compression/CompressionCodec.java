package dev.muster.store.compression;

import java.io.IOException;
import java.io.InputStream;

/**
 * One compression, in the format of Kafka clients. Safe for many threads.
 *
 * <p>Compressed bytes may come from any client. So {@link #decompress} and its stream fail on wrong bytes with an
 * {@link IOException} only, always come to an end, and make no array that is larger than the limit.
 */
interface CompressionCodec {
    /** Compresses {@code bytes[from..to)} and appends the result to {@code target}. */
    void compress(byte[] bytes, int from, int to, GrowingArray target) throws IOException;

    /**
     * A stream that decompresses {@code bytes[from..to)}, for one thread.
     *
     * @param max the limit of the unpacked size. The stream may go beyond it, but unpacks no larger piece at once
     */
    InputStream decompress(byte[] bytes, int from, int to, int max) throws IOException;
}
