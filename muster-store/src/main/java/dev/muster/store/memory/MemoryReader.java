package dev.muster.store.memory;

import dev.muster.store.read.LogReader;
import dev.muster.store.read.LogSlice;
import java.nio.ByteBuffer;
import java.util.List;

/** A cursor for one thread. It returns copies, in a buffer that it uses again. */
final class MemoryReader implements LogReader {
    private static final int ARRAY_SIZE_MAX = Integer.MAX_VALUE - 8;

    private final MemoryLog log;
    private long position;
    private byte[] buffer = {};

    MemoryReader(MemoryLog log, long position) {
        this.log = log;
        this.position = position;
    }

    @Override
    public long position() {
        return position;
    }

    @Override
    public void seek(long offset) {
        position = offset;
    }

    @Override
    public long memoryBytes() {
        return buffer.length;
    }

    @Override
    public LogSlice read(int bytesMax) {
        List<MemoryLog.Batch> batches = log.from(position, Math.min(bytesMax, ARRAY_SIZE_MAX));
        int size = batches.stream().mapToInt(b -> b.bytes().length).sum();
        if (size > buffer.length) {
            buffer = new byte[size];
        }
        ByteBuffer bytes = ByteBuffer.wrap(buffer);
        batches.forEach(b -> bytes.put(b.bytes()));
        if (!batches.isEmpty()) {
            position = batches.getLast().endOffset();
        }
        return new LogSlice(bytes.flip(), position);
    }

    @Override
    public void close() {
        buffer = new byte[0];
    }
}
