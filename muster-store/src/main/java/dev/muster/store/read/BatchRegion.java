package dev.muster.store.read;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.Optional;

/** A run of whole record batches that is forwarded unchanged: its reader does not decode the records. */
public sealed interface BatchRegion {
    /** The size of all batches, in bytes. */
    int length();

    /**
     * Batches in memory. The checksum of each batch was checked.
     *
     * @param bytes the batches, from position to limit; backed by an array; valid until the second next read
     * @param place the place of the same bytes in a file, if there is one: a sender can keep the place in their stead
     */
    record InMemory(ByteBuffer bytes, Optional<InFile> place) implements BatchRegion {
        @Override
        public int length() {
            return bytes.remaining();
        }
    }

    /**
     * A region of a file. Only the headers were checked: each batch stands in its place and ends where the next one
     * begins. A reader that decodes the records must check the checksums itself.
     */
    non-sealed interface InFile extends BatchRegion {
        /**
         * Opens the region, for one thread. The source stays valid when the reader is closed or the file is deleted.
         *
         * @throws IOException if the file does not exist any more, or cannot be opened
         */
        Source open() throws IOException;
    }

    /** An open region of a file: see {@link InFile#open}. */
    interface Source extends AutoCloseable {
        /**
         * Sends a part of the region.
         *
         * @param from the position in the region of the first byte to send
         * @return the number of bytes sent, which may be fewer than are left; 0 if the file became shorter
         */
        long transferTo(int from, WritableByteChannel target) throws IOException;

        @Override
        void close();
    }
}
