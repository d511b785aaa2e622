package dev.muster.disk.local;

import dev.muster.disk.FileSource;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;

/** Sends by {@code sendfile} if the target is a socket. The channel has no other user, so an interrupt may close it. */
record ChannelSource(FileChannel file) implements FileSource {
    private static final System.Logger LOG = System.getLogger(ChannelSource.class.getName());

    @Override
    public long transferTo(long position, long count, WritableByteChannel target) throws IOException {
        return file.transferTo(position, count, target);
    }

    @Override
    public void close() {
        try {
            file.close();
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "closing a file that was sent: {0}", e.getMessage());
        }
    }
}
