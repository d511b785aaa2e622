package dev.muster.store.batch;

/**
 * One record batch, ready to be appended: {@code size} bytes of {@code array}, from {@code at} on. The log writes base
 * offset and leader epoch (and the time, where the topic says so) into the array when it gives the batch its place, so
 * a batch must not be handed to two logs at once.
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

    /** A batch that begins with the array. */
    public EncodedBatch(byte[] array, int size) {
        this(array, 0, size);
    }

    public int recordCount() {
        return BatchHeader.recordCount(array, at);
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

    /** For logs that give records their time. */
    public void setAppendTime(long time) {
        BatchHeader.setAppendTime(array, at, time);
    }

    /** Gives the batch its place in a log. */
    public void place(long baseOffset, int leaderEpoch) {
        BatchHeader.setBaseOffset(array, at, baseOffset);
        BatchHeader.setLeaderEpoch(array, at, leaderEpoch);
    }
}
