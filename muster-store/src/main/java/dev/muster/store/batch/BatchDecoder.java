package dev.muster.store.batch;

import dev.muster.core.CompressionKind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Walks the records of a run of whole batches, for one thread: {@link #next}, then the accessors, which copy what they
 * are asked for and nothing else. Control batches are skipped.
 *
 * <p>The bytes may come from anybody, so every length is checked before it is used: a batch that lies gives an
 * {@link InvalidBatchException}, never another error, an endless loop or a huge array. After one, {@link #next} goes on
 * with the batch behind, where its place is known. Checksums are the business of whoever read the bytes.
 *
 * <p>The buffer must not change while it is walked.
 */
public final class BatchDecoder {
    /** No compressed batch may unpack to more, unless told otherwise: a few bytes can ask for gigabytes. */
    public static final int UNPACKED_BYTES_MAX = 256 << 20;

    /** What a batch may unpack to in this process: the array grows by doubling, and records are copied out of it. */
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

    // The batch at hand: its records stand in bytes, up to bodyEnd.
    private byte[] bytes = NOTHING;
    private int at;
    private int bodyEnd;
    private long baseOffset;
    private int leaderEpoch;
    private long baseTimestamp;
    private long appendTime;
    private boolean hasAppendTime;
    private int count;
    private int index;

    // The record at hand: lengths of -1 mean null.
    private int recordEnd;
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
     * A decoder at the first record of these batches, from position to limit. The buffer must be backed by an array.
     */
    public static BatchDecoder over(ByteBuffer batches) {
        return over(batches, UNPACKED_BYTES_MAX);
    }

    /** The same with another limit for what a compressed batch may unpack to. */
    public static BatchDecoder over(ByteBuffer batches, int unpackedBytesMax) {
        return over(batches, unpackedBytesMax, UNPACKED_BYTES_HERE);
    }

    /** The same in a process that has memory for so many unpacked bytes. */
    static BatchDecoder over(ByteBuffer batches, int unpackedBytesMax, int unpackedBytesHere) {
        return new BatchDecoder(unpackedBytesMax, unpackedBytesHere).restart(batches);
    }

    /** Goes to the first record of other batches, with the memory this decoder has. */
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
     * @return false when there is none
     * @throws InvalidBatchException when the bytes are not a batch, or its records are not what its head says
     * @throws BatchTooLargeException if this process has no memory to unpack the batch
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
        int offsetDelta = varint(end);
        if (offsetDelta != index) {
            throw invalid("record " + index + " says that it is record " + offsetDelta);
        }
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
            throw invalid((bodyEnd - at) + " bytes stand behind its last record");
        }
        return true;
    }

    public long offset() {
        return baseOffset + index - 1;
    }

    /** The leader epoch that the log gave the record's batch. */
    public int leaderEpoch() {
        return leaderEpoch;
    }

    /** Milliseconds since 1970: the producer's, or the log's where the batch says so. */
    public long timestamp() {
        return hasAppendTime ? appendTime : baseTimestamp + timestampDelta;
    }

    /** Milliseconds between the base timestamp of the batch and the record's own time, which the sum may overflow. */
    public long timestampDelta() {
        return timestampDelta;
    }

    /** A copy of the key; null when the record has none. */
    public byte[] key() {
        return keyLength < 0 ? null : Arrays.copyOfRange(bytes, keyAt, keyAt + keyLength);
    }

    /** A copy of the value; null for a tombstone. */
    public byte[] value() {
        return valueLength < 0 ? null : Arrays.copyOfRange(bytes, valueAt, valueAt + valueLength);
    }

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

    /** The whole record, copied. */
    public LogRecord record() {
        return new LogRecord(offset(), timestamp(), key(), value(), headers());
    }

    /** Moves the input behind the next batch and makes its records the ones at hand; none for a control batch. */
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
        int lastOffsetDelta = BatchHeader.lastOffsetDelta(input, head);
        if (records < 0 || lastOffsetDelta != records - 1 || baseOffset < 0 || baseOffset > Long.MAX_VALUE - records) {
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
            ByteBuffer body = Compressor.decompress(kind, input, from, to, unpacked, max);
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
        // Each header takes two bytes at least, so a count that passes is one that memory can bear.
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

    /** A length of bytes that follow, all of them before the end; -1 for none. */
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
        throw invalid("record " + index + " has a number without an end");
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
        throw invalid("record " + index + " has a number without an end");
    }

    private InvalidBatchException invalid(String problem) {
        // The rest of this batch has lost its meaning; the next one has its own head.
        index = count;
        return new InvalidBatchException(baseOffset, problem);
    }
}
