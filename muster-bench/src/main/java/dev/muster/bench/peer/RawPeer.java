package dev.muster.bench.peer;

import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/**
 * The upper limit: bare bytes in a file, without framing, checksum, offsets or readers. Streaming collects them into 64
 * KiB and writes once. Otherwise each record is one {@code write}, followed by {@code fdatasync} if it must be durable.
 */
final class RawPeer implements Peer {
    private static final int WRITE_BYTES = 64 << 10;
    private static final int READ_BYTES = 256 << 10;

    @Override
    public Sink sink(Path directory, Mode mode) throws IOException {
        FileChannel file = FileChannel.open(file(directory), CREATE, WRITE, APPEND);
        return mode == Mode.STREAM ? new Collecting(file) : new Direct(file, mode == Mode.DURABLE);
    }

    @Override
    public Source source(Path directory, int recordBytes) throws IOException {
        return new Chunks(FileChannel.open(file(directory), READ), recordBytes);
    }

    private static Path file(Path directory) {
        return directory.resolve("records");
    }

    private static void writeFully(FileChannel file, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            file.write(bytes);
        }
    }

    private record Collecting(FileChannel file, ByteBuffer buffer) implements Sink {
        Collecting(FileChannel file) {
            this(file, ByteBuffer.allocateDirect(WRITE_BYTES));
        }

        @Override
        public void append(byte[] record) throws IOException {
            if (buffer.remaining() < record.length) {
                drain();
            }
            buffer.put(record);
        }

        private void drain() throws IOException {
            writeFully(file, buffer.flip());
            buffer.clear();
        }

        @Override
        public void close() throws IOException {
            drain();
            file.close();
        }
    }

    private record Direct(FileChannel file, ByteBuffer buffer, boolean sync) implements Sink {
        Direct(FileChannel file, boolean sync) {
            this(file, ByteBuffer.allocateDirect(WRITE_BYTES), sync);
        }

        @Override
        public void append(byte[] record) throws IOException {
            writeFully(file, buffer.clear().put(record).flip());
            if (sync) {
                file.force(false);
            }
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }

    private static final class Chunks implements Source {
        private final FileChannel file;
        private final int recordBytes;
        private final ByteBuffer buffer = ByteBuffer.allocateDirect(READ_BYTES).limit(0);

        Chunks(FileChannel file, int recordBytes) {
            this.file = file;
            this.recordBytes = recordBytes;
        }

        @Override
        public byte[] next() throws IOException {
            if (buffer.remaining() < recordBytes && !refill()) {
                return null;
            }
            byte[] record = new byte[recordBytes];
            buffer.get(record);
            return record;
        }

        private boolean refill() throws IOException {
            buffer.compact();
            int read = 0;
            while (read >= 0 && buffer.position() < recordBytes) {
                read = file.read(buffer);
            }
            return buffer.flip().remaining() >= recordBytes;
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }
}
