package dev.muster.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;

/** Sends bytes by reading them from the file and writing them to the channel. */
record ReadingSource(DiskFile file) implements FileSource {
    private static final int PIECE = 64 << 10;

    @Override
    public long transferTo(long position, long count, WritableByteChannel target) throws IOException {
        byte[] piece = new byte[(int) Math.min(PIECE, count)];
        ByteBuffer bytes = ByteBuffer.wrap(piece, 0, file.read(position, piece, 0, piece.length));
        return target.write(bytes);
    }

    @Override
    public void close() {
        file.close();
    }
}
