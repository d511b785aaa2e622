package dev.muster.store.batch;

import dev.muster.core.CompressionKind;
import dev.muster.core.MusterException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.utils.internals.BufferSupplier;
import org.apache.kafka.common.utils.internals.ByteBufferOutputStream;

/**
 * Packs and unpacks the body of a batch with the streams of {@code kafka-clients}: what comes out is what Kafka clients
 * read and write. Only this type and {@link CodecLibraries} load classes of {@code kafka-clients}; an uncompressed
 * batch needs neither.
 */
final class Compressor {
    private static final int UNPACKED_SIZE_FIRST = 4 << 10;

    private Compressor() {}

    /**
     * Compresses {@code bytes[from..to)} into {@code target} from position {@code at} on, or into a larger array that
     * begins with as many bytes of room.
     *
     * @return the array that was used, with the position behind the last byte
     */
    static ByteBuffer compress(CompressionKind kind, byte[] bytes, int from, int to, byte[] target, int at) {
        ByteBufferOutputStream out = new ByteBufferOutputStream(ByteBuffer.wrap(target));
        out.position(at);
        try (OutputStream packing = ready(kind).wrapForOutput(out, BatchHeader.MAGIC)) {
            packing.write(bytes, from, to - from);
        } catch (IOException e) {
            throw new UncheckedIOException("memory does not fail to be written", e);
        } catch (LinkageError e) {
            throw unavailable(kind, e);
        }
        return out.buffer();
    }

    /**
     * Decompresses {@code bytes[from..to)} into {@code target}, or into a larger array; never more than {@code max}
     * bytes: it stops there, whatever the packed bytes promise.
     *
     * @return the array that was used, from 0 to the position behind the last byte
     */
    static ByteBuffer decompress(CompressionKind kind, byte[] bytes, int from, int to, byte[] target, int max)
            throws IOException {
        byte[] out = target.length > 0 ? target : new byte[Math.clamp(4L * (to - from), UNPACKED_SIZE_FIRST, max)];
        int end = 0;
        try (InputStream unpacking = unpacking(kind, bytes, from, to, max)) {
            while (true) {
                if (end == out.length) {
                    out = Arrays.copyOf(out, (int) Math.min(2L * end, max + 1L));
                }
                int read = unpacking.read(out, end, out.length - end);
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
        } catch (LinkageError e) {
            throw unavailable(kind, e);
        } catch (RuntimeException e) {
            // The libraries do not agree on what to throw at bytes that are not theirs.
            throw new IOException(e.getMessage(), e);
        }
    }

    /**
     * The bytes {@code [from..to)} as they unpack. Whoever reads them stops after {@code max}: no piece that is
     * unpacked at once is larger, but all of them together may be.
     */
    static InputStream unpacking(CompressionKind kind, byte[] bytes, int from, int to, int max) throws IOException {
        if (kind == CompressionKind.SNAPPY) {
            SnappyFrames.check(bytes, from, to, max);
        }
        try {
            return ready(kind)
                    .wrapForInput(
                            ByteBuffer.wrap(bytes, from, to - from).slice(),
                            BatchHeader.MAGIC,
                            BufferSupplier.NO_CACHING);
        } catch (LinkageError e) {
            throw unavailable(kind, e);
        }
    }

    private static Compression ready(CompressionKind kind) throws IOException {
        Compression compression =
                Compression.of(CompressionType.forId(kind.id())).build();
        CodecLibraries.ready(kind, compression);
        return compression;
    }

    private static MusterException unavailable(CompressionKind kind, LinkageError cause) {
        return new MusterException(
                kind + " compression does not work here: " + cause.getMessage(),
                "its library comes with kafka-clients and unpacks native code into java.io.tmpdir: see whether it may",
                cause);
    }
}
