package dev.muster.store.batch;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * The fixed header of a record batch, format v2, big-endian. Fields are read and written in place, in an array.
 *
 * <pre>
 *   0  base offset            8    set by the log when the batch gets its place
 *   8  batch length           4    bytes behind this field
 *  12  partition leader epoch 4    set by the log
 *  16  magic                  1    2
 *  17  crc                    4    CRC-32C of everything behind this field
 *  21  attributes             2    bits 0-2 compression, 3 LogAppendTime, 4 transactional, 5 control
 *  23  last offset delta      4    records - 1
 *  27  base timestamp         8
 *  35  max timestamp          8
 *  43  producer id            8    -1: none
 *  51  producer epoch         2
 *  53  base sequence          4
 *  57  record count           4
 *  61  records
 * </pre>
 *
 * The first four fields are not covered by the checksum: the log checks them by their place.
 */
public final class BatchHeader {
    public static final int SIZE = 61;
    /** The number of bytes before the part that {@code batch length} counts. */
    public static final int LENGTH_OVERHEAD = 12;

    public static final byte MAGIC = 2;
    public static final int COMPRESSION_MASK = 0x07;
    public static final int LOG_APPEND_TIME = 0x08;
    public static final int TRANSACTIONAL = 0x10;
    public static final int CONTROL = 0x20;
    public static final long NO_PRODUCER = -1;

    public static final int BASE_OFFSET_AT = 0;
    public static final int LENGTH_AT = 8;
    public static final int LEADER_EPOCH_AT = 12;
    public static final int MAGIC_AT = 16;
    public static final int CRC_AT = 17;
    public static final int ATTRIBUTES_AT = 21;
    public static final int LAST_OFFSET_DELTA_AT = 23;
    public static final int BASE_TIMESTAMP_AT = 27;
    public static final int MAX_TIMESTAMP_AT = 35;
    public static final int PRODUCER_ID_AT = 43;
    public static final int PRODUCER_EPOCH_AT = 51;
    public static final int BASE_SEQUENCE_AT = 53;
    public static final int RECORD_COUNT_AT = 57;

    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle SHORT = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);

    private BatchHeader() {}

    public static long baseOffset(byte[] bytes, int at) {
        return (long) LONG.get(bytes, at + BASE_OFFSET_AT);
    }

    /** The offset behind the batch, which is more than its last record's plus one if the last offsets are unused. */
    public static long endOffset(byte[] bytes, int at) {
        return baseOffset(bytes, at) + lastOffsetDelta(bytes, at) + 1;
    }

    /** The size of the whole batch with its header. Not checked: any number in bytes that are not a batch. */
    public static int sizeInBytes(byte[] bytes, int at) {
        return (int) INT.get(bytes, at + LENGTH_AT) + LENGTH_OVERHEAD;
    }

    public static int leaderEpoch(byte[] bytes, int at) {
        return (int) INT.get(bytes, at + LEADER_EPOCH_AT);
    }

    public static byte magic(byte[] bytes, int at) {
        return bytes[at + MAGIC_AT];
    }

    public static int crc(byte[] bytes, int at) {
        return (int) INT.get(bytes, at + CRC_AT);
    }

    public static int attributes(byte[] bytes, int at) {
        return (short) SHORT.get(bytes, at + ATTRIBUTES_AT);
    }

    public static int lastOffsetDelta(byte[] bytes, int at) {
        return (int) INT.get(bytes, at + LAST_OFFSET_DELTA_AT);
    }

    public static long baseTimestamp(byte[] bytes, int at) {
        return (long) LONG.get(bytes, at + BASE_TIMESTAMP_AT);
    }

    public static long maxTimestamp(byte[] bytes, int at) {
        return (long) LONG.get(bytes, at + MAX_TIMESTAMP_AT);
    }

    public static long producerId(byte[] bytes, int at) {
        return (long) LONG.get(bytes, at + PRODUCER_ID_AT);
    }

    public static short producerEpoch(byte[] bytes, int at) {
        return (short) SHORT.get(bytes, at + PRODUCER_EPOCH_AT);
    }

    public static int baseSequence(byte[] bytes, int at) {
        return (int) INT.get(bytes, at + BASE_SEQUENCE_AT);
    }

    public static int recordCount(byte[] bytes, int at) {
        return (int) INT.get(bytes, at + RECORD_COUNT_AT);
    }

    public static void setBaseOffset(byte[] bytes, int at, long offset) {
        LONG.set(bytes, at + BASE_OFFSET_AT, offset);
    }

    public static void setLeaderEpoch(byte[] bytes, int at, int epoch) {
        INT.set(bytes, at + LEADER_EPOCH_AT, epoch);
    }

    /** Gives all records of the batch this time, in place of the producer's times. */
    public static void setAppendTime(byte[] bytes, int at, long time) {
        SHORT.set(bytes, at + ATTRIBUTES_AT, (short) (attributes(bytes, at) | LOG_APPEND_TIME));
        LONG.set(bytes, at + MAX_TIMESTAMP_AT, time);
        INT.set(bytes, at + CRC_AT, computeCrc(bytes, at, sizeInBytes(bytes, at)));
    }

    /** Sets the largest time of the records, and the checksum. */
    public static void setMaxTimestamp(byte[] bytes, int at, long time) {
        LONG.set(bytes, at + MAX_TIMESTAMP_AT, time);
        INT.set(bytes, at + CRC_AT, computeCrc(bytes, at, sizeInBytes(bytes, at)));
    }

    /** Writes the header and the checksum of a batch whose body is in place. Base offset and leader epoch become 0. */
    public static void write(
            byte[] bytes,
            int at,
            int sizeInBytes,
            int attributes,
            int lastOffsetDelta,
            long baseTimestamp,
            long maxTimestamp,
            long producerId,
            short producerEpoch,
            int baseSequence,
            int recordCount) {
        LONG.set(bytes, at + BASE_OFFSET_AT, 0L);
        INT.set(bytes, at + LENGTH_AT, sizeInBytes - LENGTH_OVERHEAD);
        INT.set(bytes, at + LEADER_EPOCH_AT, 0);
        bytes[at + MAGIC_AT] = MAGIC;
        SHORT.set(bytes, at + ATTRIBUTES_AT, (short) attributes);
        INT.set(bytes, at + LAST_OFFSET_DELTA_AT, lastOffsetDelta);
        LONG.set(bytes, at + BASE_TIMESTAMP_AT, baseTimestamp);
        LONG.set(bytes, at + MAX_TIMESTAMP_AT, maxTimestamp);
        LONG.set(bytes, at + PRODUCER_ID_AT, producerId);
        SHORT.set(bytes, at + PRODUCER_EPOCH_AT, producerEpoch);
        INT.set(bytes, at + BASE_SEQUENCE_AT, baseSequence);
        INT.set(bytes, at + RECORD_COUNT_AT, recordCount);
        INT.set(bytes, at + CRC_AT, computeCrc(bytes, at, sizeInBytes));
    }

    /** True if the fields that can be checked without the body are possible. */
    public static boolean isPlausible(byte[] bytes, int at) {
        return magic(bytes, at) == MAGIC
                && sizeInBytes(bytes, at) >= SIZE
                && baseOffset(bytes, at) >= 0
                && recordCount(bytes, at) >= 0
                && lastOffsetDelta(bytes, at) >= -1;
    }

    /** True if the checksum is right. The whole batch must be in the array. */
    public static boolean crcHolds(byte[] bytes, int at) {
        return crc(bytes, at) == computeCrc(bytes, at, sizeInBytes(bytes, at));
    }

    private static int computeCrc(byte[] bytes, int at, int sizeInBytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, at + ATTRIBUTES_AT, sizeInBytes - ATTRIBUTES_AT);
        return (int) crc.getValue();
    }
}
