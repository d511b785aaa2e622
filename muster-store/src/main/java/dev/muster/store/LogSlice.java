package dev.muster.store;

import java.nio.ByteBuffer;

/**
 * A run of whole record batches, with offsets, checked.
 *
 * @param bytes the batches, from position to limit; backed by an array; valid until the reader was used twice again
 * @param nextOffset the offset behind the last record
 */
public record LogSlice(ByteBuffer bytes, long nextOffset) {
    public boolean isEmpty() {
        return !bytes.hasRemaining();
    }
}
