package dev.muster.disk;

import java.io.IOException;
import java.nio.channels.WritableByteChannel;

/**
 * An open file whose bytes are sent to a channel. They are not copied through this process if the system can avoid it.
 */
public interface FileSource extends AutoCloseable {
    /**
     * Sends bytes of the file.
     *
     * @return the number of bytes sent, which may be fewer than {@code count}; 0 at the end of the file
     */
    long transferTo(long position, long count, WritableByteChannel target) throws IOException;

    @Override
    void close();
}
