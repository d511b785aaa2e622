package dev.muster.disk;

import java.io.IOException;
import java.nio.channels.WritableByteChannel;

/** An open file whose bytes go to a channel, without a detour through this process where the system can do that. */
public interface FileSource extends AutoCloseable {
    /** @return how many bytes went, maybe fewer than asked for; 0 at the end of the file */
    long transferTo(long position, long count, WritableByteChannel target) throws IOException;

    @Override
    void close();
}
