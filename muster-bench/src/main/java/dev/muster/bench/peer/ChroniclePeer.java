package dev.muster.bench.peer;

import java.nio.file.Path;
import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.bytes.SyncMode;
import net.openhft.chronicle.queue.ChronicleQueue;
import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.queue.ExcerptTailer;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueueBuilder;

/** Chronicle Queue, the open-source build, with its defaults: memory-mapped files, no broker, many processes. */
final class ChroniclePeer implements Peer {
    private static final int FIRST_CAPACITY = 4 << 10;

    @Override
    public void prepare(Path directory, Mode mode) {
        try (ChronicleQueue queue = open(directory, mode);
                ExcerptAppender appender = queue.createAppender()) {
            appender.sync();
        }
    }

    @Override
    public Sink sink(Path directory, Mode mode) {
        return new Appending(open(directory, mode), mode == Mode.DURABLE);
    }

    @Override
    public Source source(Path directory, int recordBytes) {
        return new Tailing(open(directory, Mode.EACH));
    }

    private static ChronicleQueue open(Path directory, Mode mode) {
        SingleChronicleQueueBuilder builder =
                SingleChronicleQueueBuilder.binary(directory.resolve("queue").toFile());
        if (mode == Mode.DURABLE) {
            builder.syncMode(SyncMode.SYNC);
        }
        return builder.build();
    }

    private record Appending(ChronicleQueue queue, ExcerptAppender appender, Bytes<?> bytes, boolean sync)
            implements Sink {
        Appending(ChronicleQueue queue, boolean sync) {
            this(queue, queue.createAppender(), Bytes.allocateElasticDirect(FIRST_CAPACITY), sync);
        }

        @Override
        public void append(byte[] record) {
            bytes.clear().write(record);
            appender.writeBytes(bytes);
            if (sync) {
                appender.sync();
            }
        }

        @Override
        public void close() {
            appender.close();
            queue.close();
            bytes.releaseLast();
        }
    }

    private record Tailing(ChronicleQueue queue, ExcerptTailer tailer, Bytes<?> bytes) implements Source {
        Tailing(ChronicleQueue queue) {
            this(queue, queue.createTailer(), Bytes.allocateElasticDirect(FIRST_CAPACITY));
        }

        @Override
        public byte[] next() {
            bytes.clear();
            return tailer.readBytes(bytes) ? bytes.toByteArray() : null;
        }

        @Override
        public void close() {
            tailer.close();
            queue.close();
            bytes.releaseLast();
        }
    }
}
