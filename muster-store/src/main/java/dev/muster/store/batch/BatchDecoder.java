package dev.muster.store.batch;

import dev.muster.core.CompressionKind;
import dev.muster.core.CompressionUnavailableException;
import dev.muster.core.Header;
import dev.muster.store.compression.Compression;
import dev.muster.store.compression.UnpackedSizeException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Decodes the records of a run of whole batches, for one thread: {@link #next} goes to a record, and each accessor
 * copies one part of it. Control batches are skipped.
 *
 * <p>The bytes may come from any client, so every length is checked before it is used. A wrong batch causes an
 * {@link InvalidBatchException}, and never another error, an endless loop or a huge array. Afterwards {@link #next}
 * continues behind that batch, if its end is known. The caller has checked the checksums.
 *
 * <p>The buffer must not change while it is decoded.
 */
public final class BatchDecoder {
    /** The default limit of the unpacked size of a compressed batch: a few bytes can unpack to gigabytes. */
    public static final int UNPACKED_BYTES_MAX = 256 << 20;

    /** The limit that the memory of this process sets: the array grows by doubling, and records are copied from it. */
    private static final int UNPACKED_BYTES_HERE =
            (int) Math.min(UNPACKED_BYTES_MAX, Runtime.getRuntime().maxMemory() / 4);

    private static final int UNPACKED_BYTES_KEPT = 4 << 20;
    private static final byte[] NOTHING = {};
    private static final CompressionKind[] KINDS = CompressionKind.values();

    private final int unpackedBytesMax;
    private final int unpackedBytesHere;
    private byte[] input = NOTHING;
    private int inputAt;
    private int inputEnd;
    private byte[] unpacked = NOTHING;

    // The current batch: its records are in bytes, up to bodyEnd.
    private byte[] bytes = NOTHING;
    private int at;
    private int bodyEnd;
    private long baseOffset;
    private int leaderEpoch;
    private long baseTimestamp;
    private long appendTime;
    private boolean hasAppendTime;
    private int lastOffsetDelta;
    private int count;
    private int index;

    // The current record: lengths of -1 mean null.
    private int recordEnd;
    private int offsetDelta;
    private long timestampDelta;
    private int keyAt;
    private int keyLength;
    private int valueAt;
    private int valueLength;
    private int headersAt;
    private int headerCount;

    private BatchDecoder(int unpackedBytesMax, int unpackedBytesHere) {
        this.unpackedBytesMax = unpackedBytesMax;
        this.unpackedBytesHere = unpackedBytesHere;
    }

    /**
     * Returns a decoder before the first record of these batches, which are the bytes from position to limit. The
     * buffer must be backed by an array.
     */
    public static BatchDecoder over(ByteBuffer batches) {
        return over(batches, UNPACKED_BYTES_MAX);
    }

    /**
     * Returns a decoder as {@link #over(ByteBuffer)} does, with another limit.
     *
     * @param unpackedBytesMax the number of bytes that a compressed batch may unpack to
     */
    public static BatchDecoder over(ByteBuffer batches, int unpackedBytesMax) {
        return over(batches, unpackedBytesMax, UNPACKED_BYTES_HERE);
    }

    /** The same, in a process with memory for {@code unpackedBytesHere} unpacked bytes. */
    static BatchDecoder over(ByteBuffer batches, int unpackedBytesMax, int unpackedBytesHere) {
        return new BatchDecoder(unpackedBytesMax, unpackedBytesHere).restart(batches);
    }

    /** Starts before the first record of other batches, in the same memory. */
    public BatchDecoder restart(ByteBuffer batches) {
        input = batches.array();
        inputAt = batches.arrayOffset() + batches.position();
        inputEnd = batches.arrayOffset() + batches.limit();
        count = 0;
        index = 0;
        if (unpacked.length > UNPACKED_BYTES_KEPT) {
            unpacked = NOTHING;
        }
        return this;
    }

    /**
     * Goes to the next record.
     *
     * @return false if there is no other record
     * @throws InvalidBatchException if the bytes are not a batch, or its records contradict its header
     * @throws BatchTooLargeException if this process has no memory to unpack the batch
     * @throws CompressionUnavailableException if this process has no library for the batch's compression
     */
    public boolean next() {
        while (index == count) {
            if (inputAt == inputEnd) {
                return false;
            }
            nextBatch();
        }
        int length = varint(bodyEnd);
        if (length < 0 || length > bodyEnd - at) {
            throw invalid("record " + index + " has length " + length + ", " + (bodyEnd - at) + " bytes are left");
        }
        int end = at + length;
        recordEnd = end;
        if (length == 0) {
            throw invalid("record " + index + " is empty");
        }
        at++; // the attributes of a record have no meaning yet
        timestampDelta = varlong(end);
        int delta = varint(end);
        if (delta < 0 || delta > lastOffsetDelta || index > 0 && delta <= offsetDelta) {
            throw invalid("record " + index + " has the offset delta " + delta + ", the last one of the batch is "
                    + lastOffsetDelta + (index == 0 ? "" : " and the one before is " + offsetDelta));
        }
        offsetDelta = delta;
        keyLength = length(end);
        keyAt = at;
        at += Math.max(keyLength, 0);
        valueLength = length(end);
        valueAt = at;
        at += Math.max(valueLength, 0);
        headerCount = varint(end);
        headersAt = at;
        if (headerCount != 0) {
            skipHeaders(end);
        }
        if (at != end) {
            throw invalid("record " + index + " ends " + (end - at) + " bytes behind its last field");
        }
        index++;
        if (index == count && at != bodyEnd) {
            throw invalid((bodyEnd - at) + " bytes follow its last record");
        }
        return true;
    }

    /** The offset of the record. */
    public long offset() {
        return baseOffset + offsetDelta;
    }

    /** The leader epoch that the log gave the record's batch. */
    public int leaderEpoch() {
        return leaderEpoch;
    }

    /** The record's time in milliseconds since 1970: the producer's, or the log's if the batch says so. */
    public long timestamp() {
        return hasAppendTime ? appendTime : baseTimestamp + timestampDelta;
    }

    /** The milliseconds from the batch's base timestamp to the record's own time. Their sum may overflow. */
    public long timestampDelta() {
        return timestampDelta;
    }

    /** A copy of the key; null if the record has no key. */
    public byte[] key() {
        return keyLength < 0 ? null : Arrays.copyOfRange(bytes, keyAt, keyAt + keyLength);
    }

    /** A copy of the value; null for a tombstone. */
    public byte[] value() {
        return valueLength < 0 ? null : Arrays.copyOfRange(bytes, valueAt, valueAt + valueLength);
    }

    /** A copy of the headers. */
    public List<Header> headers() {
        if (headerCount == 0) {
            return List.of();
        }
        int mark = at;
        at = headersAt;
        List<Header> headers = new ArrayList<>(headerCount);
        for (int i = 0; i < headerCount; i++) {
            int keySize = length(recordEnd);
            String key = new String(bytes, at, keySize, StandardCharsets.UTF_8);
            at += keySize;
            int size = length(recordEnd);
            headers.add(new Header(key, size < 0 ? null : Arrays.copyOfRange(bytes, at, at + size)));
            at += Math.max(size, 0);
        }
        at = mark;
        return List.copyOf(headers);
    }

    /** A copy of the whole record. */
    public LogRecord record() {
        return new LogRecord(offset(), timestamp(), key(), value(), headers());
    }

    /** Goes to the next batch. A control batch counts as one without records. */
    private void nextBatch() {
        int head = inputAt;
        int left = inputEnd - head;
        inputAt = inputEnd;
        count = 0;
        index = 0;
        if (left < BatchHeader.SIZE) {
            throw new InvalidBatchException(-1, "a head has " + BatchHeader.SIZE + " bytes, " + left + " are left");
        }
        baseOffset = BatchHeader.baseOffset(input, head);
        leaderEpoch = BatchHeader.leaderEpoch(input, head);
        int size = BatchHeader.sizeInBytes(input, head);
        if (BatchHeader.magic(input, head) != BatchHeader.MAGIC || size < BatchHeader.SIZE || size > left) {
            throw invalid(
                    "format " + BatchHeader.magic(input, head) + ", size " + size + ", " + left + " bytes are left");
        }
        inputAt = head + size;
        int attributes = BatchHeader.attributes(input, head);
        if ((attributes & BatchHeader.CONTROL) == 0) {
            openBody(head, size, attributes);
        }
    }

    private void openBody(int head, int size, int attributes) {
        int records = BatchHeader.recordCount(input, head);
        lastOffsetDelta = BatchHeader.lastOffsetDelta(input, head);
        boolean countFits = records >= 0 && lastOffsetDelta >= records - 1;
        if (!countFits || baseOffset < 0 || baseOffset > Long.MAX_VALUE - 1 - lastOffsetDelta) {
            throw invalid("it says " + records + " records and a last offset delta of " + lastOffsetDelta);
        }
        int kind = attributes & BatchHeader.COMPRESSION_MASK;
        if (kind >= KINDS.length) {
            throw invalid("unknown compression " + kind);
        }
        baseTimestamp = BatchHeader.baseTimestamp(input, head);
        appendTime = BatchHeader.maxTimestamp(input, head);
        hasAppendTime = (attributes & BatchHeader.LOG_APPEND_TIME) != 0;
        if (KINDS[kind] == CompressionKind.NONE) {
            bytes = input;
            at = head + BatchHeader.SIZE;
            bodyEnd = head + size;
        } else {
            unpack(KINDS[kind], head + BatchHeader.SIZE, head + size);
        }
        if (records == 0 && at != bodyEnd) {
            throw invalid("it says that it has no records, but has bytes for some");
        }
        count = records;
    }

    private void unpack(CompressionKind kind, int from, int to) {
        try {
            int max = Math.min(unpackedBytesMax, unpackedBytesHere);
            ByteBuffer body = Compression.decompress(kind, input, from, to, unpacked, max);
            unpacked = body.array();
            bytes = unpacked;
            at = 0;
            bodyEnd = body.position();
        } catch (UnpackedSizeException e) {
            unpacked = NOTHING;
            throw isAskingForMemory(e) ? needsMemory(e) : unpackable(kind, e);
        } catch (IOException e) {
            throw unpackable(kind, e);
        }
    }

    private boolean isAskingForMemory(UnpackedSizeException e) {
        return e.isOutOfMemory() || unpackedBytesHere < unpackedBytesMax;
    }

    private BatchTooLargeException needsMemory(UnpackedSizeException e) {
        long heap = Runtime.getRuntime().maxMemory();
        return new BatchTooLargeException(
                baseOffset,
                e.bytesMax(),
                "give the process more memory than " + (heap >> 20) + " MiB (-Xmx), or read on behind the batch",
                e);
    }

    private InvalidBatchException unpackable(CompressionKind kind, IOException e) {
        return new InvalidBatchException(baseOffset, "its " + kind + " body cannot be unpacked: " + e.getMessage(), e);
    }

    private void skipHeaders(int end) {
        // Each header takes at least two bytes, so a count that passes needs no more memory than the batch.
        if (headerCount < 0 || headerCount > (end - at) / 2) {
            throw invalid("record " + index + " says that it has " + headerCount + " headers");
        }
        for (int i = 0; i < headerCount; i++) {
            int keySize = length(end);
            if (keySize < 0) {
                throw invalid("record " + index + " has a header without a key");
            }
            at += keySize;
            int valueSize = length(end);
            at += Math.max(valueSize, 0);
        }
    }

    /** Reads the length of the bytes that follow, which end before {@code end}; -1 means null. */
    private int length(int end) {
        int length = varint(end);
        if (length < -1 || length > end - at) {
            throw invalid(
                    "record " + index + " has a field of length " + length + ", " + (end - at) + " bytes are left");
        }
        return length;
    }

    private int varint(int end) {
        int from = at;
        if (from < end) {
            byte only = bytes[from];
            if (only >= 0) {
                at = from + 1;
                return (only >>> 1) ^ -(only & 1);
            }
        }
        return longerVarint(end);
    }

    private int longerVarint(int end) {
        int zigzag = 0;
        for (int shift = 0; shift < 35 && at < end; shift += 7) {
            byte part = bytes[at++];
            zigzag |= (part & 0x7F) << shift;
            if (part >= 0) {
                return (zigzag >>> 1) ^ -(zigzag & 1);
            }
        }
        throw invalid("record " + index + " has a variable-length integer that is too long or cut off");
    }

    private long varlong(int end) {
        long zigzag = 0;
        for (int shift = 0; shift < 70 && at < end; shift += 7) {
            byte part = bytes[at++];
            zigzag |= (part & 0x7FL) << shift;
            if (part >= 0) {
                return (zigzag >>> 1) ^ -(zigzag & 1);
            }
        }
        throw invalid("record " + index + " has a variable-length integer that is too long or cut off");
    }

    private InvalidBatchException invalid(String problem) {
        // The rest of this batch cannot be decoded; the next one has its own header.
        index = count;
        return new InvalidBatchException(baseOffset, problem);
    }
}
