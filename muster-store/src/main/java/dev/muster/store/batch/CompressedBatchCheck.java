package dev.muster.store.batch;

import dev.muster.core.CompressionKind;
import dev.muster.core.CompressionUnavailableException;
import dev.muster.store.compression.Compression;
import dev.muster.store.compression.UnpackedSizeException;
import java.io.IOException;
import java.io.InputStream;
import java.util.function.LongConsumer;

/**
 * Checks that every reader can decode a compressed batch, for one thread. The batch is decompressed through a window of
 * fixed size, so that the memory does not grow with the batch. A batch that {@link BatchDecoder} refuses is refused
 * here with the same message.
 */
public final class CompressedBatchCheck {
    private static final int WINDOW_BYTES = 32 << 10;
    private static final CompressionKind[] KINDS = CompressionKind.values();

    private final byte[] window = new byte[WINDOW_BYTES];
    private InputStream unpacking = InputStream.nullInputStream();
    private int at;
    private int end;
    /** The number of unpacked bytes before the end of the window. */
    private long unpacked;

    private int index;
    private int unpackedBytesMax;
    private LongConsumer progress = bytes -> {};
    private LongConsumer timestamps = delta -> {};

    /**
     * Checks one batch. The caller has checked that its header is complete and its length right.
     *
     * @param bytesMax the number of bytes that the batch may unpack to
     * @param unpackedBytes the consumer of the number of bytes unpacked so far, called after each window
     * @param timestampDeltas the consumer of each record's timestamp delta, called in the order of the records
     * @throws BatchTooLargeException if the batch unpacks to more than {@code bytesMax} bytes
     * @throws CompressionUnavailableException if this process has no library for the compression
     * @throws InvalidBatchException if the body cannot be unpacked, or its records contradict the header
     */
    public void check(byte[] batch, int from, int bytesMax, LongConsumer unpackedBytes, LongConsumer timestampDeltas) {
        long baseOffset = BatchHeader.baseOffset(batch, from);
        int id = BatchHeader.attributes(batch, from) & BatchHeader.COMPRESSION_MASK;
        if (id >= KINDS.length) {
            throw new InvalidBatchException(baseOffset, "unknown compression " + id);
        }
        CompressionKind kind = KINDS[id];
        int body = from + BatchHeader.SIZE;
        int bodyEnd = from + BatchHeader.sizeInBytes(batch, from);
        unpackedBytesMax = bytesMax;
        progress = unpackedBytes;
        timestamps = timestampDeltas;
        at = 0;
        end = 0;
        unpacked = 0;
        try (InputStream stream = Compression.stream(kind, batch, body, bodyEnd, unpackedBytesMax)) {
            unpacking = stream;
            int count = BatchHeader.recordCount(batch, from);
            for (index = 0; index < count; index++) {
                checkRecord();
            }
            if (at < end || more()) {
                throw new IOException("bytes follow its last record");
            }
        } catch (UnpackedSizeException e) {
            throw new BatchTooLargeException(baseOffset, e.bytesMax(), "send smaller batches", e);
        } catch (CompressionUnavailableException e) {
            throw e;
        } catch (IOException | RuntimeException e) {
            throw new InvalidBatchException(
                    baseOffset, "its " + kind + " body cannot be unpacked: " + e.getMessage(), e);
        }
    }

    private void checkRecord() throws IOException {
        int length = varint(Long.MAX_VALUE);
        if (length <= 0) {
            throw new IOException("record " + index + " has length " + length);
        }
        long recordEnd = position() + length;
        next(recordEnd); // the attributes of a record have no meaning yet
        long timestampDelta = varlong(recordEnd);
        int offsetDelta = varint(recordEnd);
        if (offsetDelta != index) {
            throw new IOException("record " + index + " has the number " + offsetDelta);
        }
        skip(varint(recordEnd), -1, recordEnd);
        skip(varint(recordEnd), -1, recordEnd);
        int headers = varint(recordEnd);
        if (headers < 0) {
            throw new IOException("record " + index + " says that it has " + headers + " headers");
        }
        for (int i = 0; i < headers; i++) {
            skip(varint(recordEnd), 0, recordEnd);
            skip(varint(recordEnd), -1, recordEnd);
        }
        if (position() != recordEnd) {
            throw new IOException(
                    "record " + index + " ends " + (recordEnd - position()) + " bytes behind its last field");
        }
        timestamps.accept(timestampDelta);
    }

    private long position() {
        return unpacked - (end - at);
    }

    private void skip(int length, int lengthMin, long recordEnd) throws IOException {
        if (length < lengthMin || length > recordEnd - position()) {
            throw new IOException("record " + index + " has a field of length " + length);
        }
        int left = length;
        while (left > end - at) {
            left -= end - at;
            at = end;
            if (!more()) {
                throw tooShort();
            }
        }
        at += Math.max(left, 0);
    }

    private int varint(long recordEnd) throws IOException {
        int zigzag = 0;
        for (int shift = 0; shift < 35; shift += 7) {
            byte part = next(recordEnd);
            zigzag |= (part & 0x7F) << shift;
            if (part >= 0) {
                return (zigzag >>> 1) ^ -(zigzag & 1);
            }
        }
        throw new IOException("record " + index + " has a variable-length integer that is too long");
    }

    private long varlong(long recordEnd) throws IOException {
        long zigzag = 0;
        for (int shift = 0; shift < 70; shift += 7) {
            byte part = next(recordEnd);
            zigzag |= (part & 0x7FL) << shift;
            if (part >= 0) {
                return (zigzag >>> 1) ^ -(zigzag & 1);
            }
        }
        throw new IOException("record " + index + " has a variable-length integer that is too long");
    }

    private byte next(long recordEnd) throws IOException {
        if (position() >= recordEnd) {
            throw new IOException("record " + index + " ends in the middle of a field");
        }
        if (at == end && !more()) {
            throw tooShort();
        }
        return window[at++];
    }

    /**
     * Fills the window with the next bytes.
     *
     * @return false at the end of the body
     */
    private boolean more() throws IOException {
        int read = unpacking.read(window, 0, window.length);
        at = 0;
        end = Math.max(0, read);
        unpacked += end;
        if (unpacked > unpackedBytesMax) {
            throw new UnpackedSizeException(unpackedBytesMax);
        }
        progress.accept(unpacked);
        return read > 0;
    }

    private IOException tooShort() {
        return new IOException("it ends in record " + index);
    }
}
