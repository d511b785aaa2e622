package dev.muster.store.batch;

import dev.muster.core.CompressionKind;
import dev.muster.core.CompressionUnavailableException;
import dev.muster.core.Header;
import dev.muster.core.MusterException;
import dev.muster.store.compression.Compression;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;

/**
 * Encodes records into one batch after the other, for one thread, in the same memory. The order of calls is
 * {@link #tryAppend} until it returns false, {@link #finish}, an append of the result to a log, {@link #reset}. Nothing
 * is allocated per record.
 *
 * <p>Records are encoded in place, behind a gap for the header. Without compression this array is the batch. With
 * compression {@link #finish} compresses the records into a second array.
 *
 * <pre>
 *   record:  length varint | attributes 0 | timestamp delta varlong | offset delta varint
 *            | key length varint, -1 none | key | value length varint, -1 none | value | header count varint | headers
 *   header:  key length varint | key, UTF-8 | value length varint, -1 none | value
 * </pre>
 *
 * The batch that {@link #finish} returns uses this builder's memory and is valid until {@link #reset}.
 */
public final class BatchBuilder {
    /** The largest size of lengths, attributes, deltas and header count together. */
    private static final int RECORD_OVERHEAD_MAX = 1 + Varint.LONG_SIZE_MAX + 5 * Varint.INT_SIZE_MAX;

    /** Some virtual machines cannot make arrays of the last few sizes. */
    private static final int ARRAY_SIZE_MAX = Integer.MAX_VALUE - 8;

    private final byte[] home;
    private final CompressionKind compression;
    private byte[] buffer;
    private byte[] compressed;
    private int end = BatchHeader.SIZE;
    private int count;
    private long baseTimestamp;
    private long maxTimestamp;
    private boolean finished;

    /**
     * @param buffer the array for records; its size is the size of a full batch. A single larger record gets another
     *     array, until {@link #reset}
     * @param compression the compression of every batch
     */
    public BatchBuilder(byte[] buffer, CompressionKind compression) {
        this.home = buffer;
        this.buffer = buffer;
        this.compression = Objects.requireNonNull(compression, "compression");
    }

    /**
     * Adds a record.
     *
     * @return false if the batch is full and the record was not added. The first record of a batch always has room
     */
    public boolean tryAppend(long timestamp, byte[] key, byte[] value, List<Header> headers) {
        if (finished) {
            throw new IllegalStateException("the batch is finished: reset it first");
        }
        long delta = count == 0 ? 0 : timestamp - baseTimestamp;
        long body = bodySize(delta, key, value, headers);
        if (body > buffer.length - end - Varint.INT_SIZE_MAX && !makeRoom(body)) {
            return false;
        }
        if (count == 0) {
            baseTimestamp = timestamp;
            maxTimestamp = timestamp;
        } else if (timestamp > maxTimestamp) {
            maxTimestamp = timestamp;
        }
        end = write((int) body, delta, key, value, headers);
        count++;
        return true;
    }

    /** The number of records added since the last {@link #reset}. */
    public int recordCount() {
        return count;
    }

    /** The size of header and records so far, before compression. */
    public int sizeInBytes() {
        return end;
    }

    /** The largest size that a batch of this one record can have; at most the largest int. */
    public static int recordSizeMax(byte[] key, byte[] value, List<Header> headers) {
        long size = (long) BatchHeader.SIZE + RECORD_OVERHEAD_MAX + length(key) + length(value);
        if (!headers.isEmpty()) {
            size += headersSize(headers);
        }
        return (int) Math.min(size, Integer.MAX_VALUE);
    }

    /**
     * Compresses the records and writes the header with its checksum.
     *
     * @param producerId the producer id, or {@link BatchHeader#NO_PRODUCER} with an epoch and a sequence of -1
     * @throws CompressionUnavailableException if the library of the compression is missing or does not work here
     */
    public EncodedBatch finish(long producerId, short producerEpoch, int baseSequence) {
        if (count == 0) {
            throw new IllegalStateException("a batch has at least one record");
        }
        finished = true;
        byte[] batch = buffer;
        int size = end;
        if (compression != CompressionKind.NONE) {
            compressed = compressed == null ? new byte[BatchHeader.SIZE + (end >> 1)] : compressed;
            var body = Compression.compress(compression, buffer, BatchHeader.SIZE, end, compressed, BatchHeader.SIZE);
            compressed = body.array();
            batch = compressed;
            size = body.position();
        }
        BatchHeader.write(
                batch,
                0,
                size,
                compression.id(),
                count - 1,
                baseTimestamp,
                maxTimestamp,
                producerId,
                producerEpoch,
                baseSequence,
                count);
        return new EncodedBatch(batch, size);
    }

    /** Starts the next batch in the same memory. */
    public void reset() {
        if (buffer != home) {
            // One huge record must not make every later batch use its memory.
            buffer = home;
            compressed = null;
        }
        end = BatchHeader.SIZE;
        count = 0;
        finished = false;
    }

    private boolean makeRoom(long body) {
        if (count > 0) {
            return body <= buffer.length - end - (long) Varint.size((int) Math.min(body, Integer.MAX_VALUE));
        }
        long size = BatchHeader.SIZE + Varint.INT_SIZE_MAX + body;
        if (size > ARRAY_SIZE_MAX) {
            throw new MusterException(
                    "a record of " + body + " bytes does not fit into a batch (2 GiB)", "send it in parts");
        }
        if (size > buffer.length) {
            buffer = new byte[(int) size];
        }
        return true;
    }

    private long bodySize(long timestampDelta, byte[] key, byte[] value, List<Header> headers) {
        long size = 1L + Varint.size(timestampDelta) + Varint.size(count) + sizeWithLength(key) + sizeWithLength(value);
        return headers.isEmpty() ? size + 1 : size + Varint.size(headers.size()) + headersSize(headers);
    }

    private static long headersSize(List<Header> headers) {
        long size = 0;
        for (Header header : headers) {
            int keySize = utf8Size(header.key());
            size += Varint.size(keySize) + keySize + sizeWithLength(header.value());
        }
        return size;
    }

    private static long sizeWithLength(byte[] bytes) {
        return bytes == null ? 1 : (long) Varint.size(bytes.length) + bytes.length;
    }

    private static int length(byte[] bytes) {
        return bytes == null ? 0 : bytes.length;
    }

    private int write(int body, long timestampDelta, byte[] key, byte[] value, List<Header> headers) {
        byte[] out = buffer;
        int at = Varint.put(out, end, body);
        out[at++] = 0;
        at = Varint.put(out, at, timestampDelta);
        at = Varint.put(out, at, count);
        at = put(out, at, key);
        at = put(out, at, value);
        if (headers.isEmpty()) {
            out[at++] = 0;
            return at;
        }
        at = Varint.put(out, at, headers.size());
        for (Header header : headers) {
            at = put(out, putUtf8(out, at, header.key()), header.value());
        }
        return at;
    }

    private static int put(byte[] out, int at, byte[] bytes) {
        if (bytes == null) {
            return Varint.put(out, at, -1);
        }
        int start = Varint.put(out, at, bytes.length);
        System.arraycopy(bytes, 0, out, start, bytes.length);
        return start + bytes.length;
    }

    /** True if the text is ASCII, as nearly all header keys are. It is encoded without an array in between. */
    private static boolean isAscii(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) >= 0x80) {
                return false;
            }
        }
        return true;
    }

    private static int utf8Size(String text) {
        return isAscii(text) ? text.length() : text.getBytes(StandardCharsets.UTF_8).length;
    }

    private static int putUtf8(byte[] out, int at, String text) {
        if (!isAscii(text)) {
            return put(out, at, text.getBytes(StandardCharsets.UTF_8));
        }
        int start = Varint.put(out, at, text.length());
        for (int i = 0; i < text.length(); i++) {
            out[start + i] = (byte) text.charAt(i);
        }
        return start + text.length();
    }
}
