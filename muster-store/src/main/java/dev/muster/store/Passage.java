package dev.muster.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.Optional;

/** A run of whole record batches on their way through, for somebody who does not look into them. */
public sealed interface Passage {
    int length();

    /**
     * Few enough to be read at once. All were checked.
     *
     * @param bytes the batches, from position to limit; backed by an array; valid until the reader was used twice again
     * @param place where the same bytes stand in a file, when they do: it can be sent without keeping them
     */
    record InMemory(ByteBuffer bytes, Optional<InFile> place) implements Passage {
        @Override
        public int length() {
            return bytes.remaining();
        }
    }

    /**
     * A stretch of a file. The head of each batch is in its place and leads to the next one; whether its records are
     * what was written, only its checksum can tell, and whoever unpacks it must ask that.
     */
    non-sealed interface InFile extends Passage {
        /**
         * Opens it, for one thread. What was opened stays, whatever becomes of the reader and of the file's name.
         *
         * @throws IOException when the file is gone, or cannot be opened
         */
        Source open() throws IOException;
    }

    /** See {@link InFile#open}. */
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
