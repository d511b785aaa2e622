package dev.muster.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.Optional;

/**
 * A run of whole record batches, with offsets, checked.
 *
 * @param bytes the batches, from position to limit; backed by an array; valid until the reader was used twice again
 * @param nextOffset the offset behind the last record
 * @param region the same bytes in a file, when they stand in one: a door can send them without keeping them
 */
public record LogSlice(ByteBuffer bytes, long nextOffset, Optional<FileRegion> region) {
    public boolean isEmpty() {
        return !bytes.hasRemaining();
    }

    /** A stretch of a file. */
    public interface FileRegion {
        int length();

        /**
         * Opens it, for one thread. What was opened stays, whatever becomes of the reader and of the file's name.
         *
         * @throws IOException when the file is gone, or cannot be opened
         */
        Source open() throws IOException;

        /** See {@link #open}. */
        interface Source extends AutoCloseable {
            /**
             * Sends a part of the stretch.
             *
             * @param from where in the stretch to begin
             * @return how many bytes went, maybe not all; 0 when the file has become shorter
             */
            long transferTo(int from, WritableByteChannel target) throws IOException;

            @Override
            void close();
        }
    }
}
