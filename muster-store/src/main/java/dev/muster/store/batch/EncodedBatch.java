package dev.muster.store.batch;

/**
 * One record batch to append: {@code size} bytes of {@code array}, from {@code at} on. The log writes base offset and
 * leader epoch into the array, and the append time if the topic wants it. So a batch must not be appended to two logs
 * at once.
 */
public record EncodedBatch(byte[] array, int at, int size) {
    public EncodedBatch {
        if (at < 0
                || size < BatchHeader.SIZE
                || size > array.length - at
                || BatchHeader.sizeInBytes(array, at) != size) {
            throw new IllegalArgumentException(
                    "not one whole record batch: size " + size + " at " + at + ", array " + array.length);
        }
    }

    /** A batch at the start of an array. */
    public EncodedBatch(byte[] array, int size) {
        this(array, 0, size);
    }

    public int recordCount() {
        return BatchHeader.recordCount(array, at);
    }

    /** The number of offsets that the batch takes, which may be more than it has records. */
    public int offsetCount() {
        return BatchHeader.lastOffsetDelta(array, at) + 1;
    }

    public long baseOffset() {
        return BatchHeader.baseOffset(array, at);
    }

    public long maxTimestamp() {
        return BatchHeader.maxTimestamp(array, at);
    }

    public int crc() {
        return BatchHeader.crc(array, at);
    }

    /** Gives all records the time of their append, for topics with {@code LogAppendTime}. */
    public void setAppendTime(long time) {
        BatchHeader.setAppendTime(array, at, time);
    }

    /** Writes the batch's place in the log into its header. */
    public void place(long baseOffset, int leaderEpoch) {
        BatchHeader.setBaseOffset(array, at, baseOffset);
        BatchHeader.setLeaderEpoch(array, at, leaderEpoch);
    }
}
