package dev.muster.store;

import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * A run of whole record batches, with offsets, checked.
 *
 * @param bytes the batches, from position to limit; backed by an array; valid until the reader was used twice again
 * @param nextOffset the offset behind the last record
 * @param region where the same bytes stand in a file, when they do: a door can send them without a copy
 */
public record LogSlice(ByteBuffer bytes, long nextOffset, Optional<FileRegion> region) {
    public boolean isEmpty() {
        return !bytes.hasRemaining();
    }

    /** A stretch of an open file. The owner keeps it open as long as the slice is valid. */
    public interface FileRegion {
        java.nio.file.Path file();

        long position();

        int length();
    }
}
