package dev.muster.store.read;

import java.nio.ByteBuffer;

/**
 * A run of whole record batches. Offsets and checksums were checked.
 *
 * @param bytes the batches, from position to limit; backed by an array; valid until the second next read
 * @param nextOffset the offset behind the last record of the batches
 */
public record LogSlice(ByteBuffer bytes, long nextOffset) {
    public boolean isEmpty() {
        return !bytes.hasRemaining();
    }
}
