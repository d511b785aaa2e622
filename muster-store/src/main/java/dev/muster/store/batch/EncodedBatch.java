package dev.muster.store.batch;

/**
 * One record batch, ready to be appended: {@code size} bytes from the start of {@code array}. The log writes base
 * offset and leader epoch into the array when it gives the batch its place, so a batch must not be handed to two logs
 * at once.
 */
public record EncodedBatch(byte[] array, int size) {
    public EncodedBatch {
        if (size < BatchHeader.SIZE || size > array.length || BatchHeader.sizeInBytes(array, 0) != size) {
            throw new IllegalArgumentException("not one whole record batch: size " + size + ", array " + array.length);
        }
    }

    public int recordCount() {
        return BatchHeader.recordCount(array, 0);
    }

    public long maxTimestamp() {
        return BatchHeader.maxTimestamp(array, 0);
    }
}
