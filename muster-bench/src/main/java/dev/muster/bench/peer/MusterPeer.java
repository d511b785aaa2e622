package dev.muster.bench.peer;

import dev.muster.core.SyncLevel;
import dev.muster.embedded.Codec;
import dev.muster.embedded.Muster;
import dev.muster.embedded.Position;
import dev.muster.embedded.Producer;
import dev.muster.embedded.Reader;
import dev.muster.embedded.Received;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.Iterator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

/** Muster through its public API, with its defaults: one topic, one partition. */
public final class MusterPeer implements Peer {
    /** The topic that holds the records. */
    public static final String TOPIC = "bench";

    @Override
    public void prepare(Path directory, Mode mode) {
        try (Muster muster = Muster.open(directory)) {
            SyncLevel sync = mode == Mode.DURABLE ? SyncLevel.COMMIT : SyncLevel.OS;
            muster.topics().ensure(TOPIC, topic -> topic.partitions(1).sync(sync));
        }
    }

    @Override
    public Sink sink(Path directory, Mode mode) {
        Muster muster = Muster.open(directory);
        Producer<byte[], byte[]> producer = muster.producer(TOPIC, Codec.BYTES, Codec.BYTES);
        return mode == Mode.STREAM ? new Streaming(muster, producer) : new Waiting(muster, producer);
    }

    @Override
    public Source source(Path directory, int recordBytes) {
        Muster muster = Muster.open(directory);
        return new Polling(muster, muster.reader(TOPIC, Codec.BYTES, Codec.BYTES));
    }

    /** Waits for the acknowledgement of each record, at its topic's sync level. For many threads. */
    private record Waiting(Muster muster, Producer<byte[], byte[]> producer) implements Sink {
        @Override
        public void append(byte[] record) {
            producer.send(record).join();
        }

        @Override
        public void close() {
            producer.close();
            muster.close();
        }
    }

    /** Sends without waiting. The check of the log finds failed records. */
    private static final class Streaming implements Sink {
        /** About one timed record per batch, so that timing costs almost nothing. */
        private static final int TIMED_EVERY_BYTES = 64 << 10;

        private final Muster muster;
        private final Producer<byte[], byte[]> producer;
        private final AtomicLong longestGap = new AtomicLong();
        /** Zero before the first acknowledgement. Only acknowledgements write it, one after the other. */
        private volatile long lastAcknowledged;

        private int untimedBytes;
        private CompletableFuture<Position> last = CompletableFuture.completedFuture(null);

        Streaming(Muster muster, Producer<byte[], byte[]> producer) {
            this.muster = muster;
            this.producer = producer;
        }

        @Override
        public void append(byte[] record) {
            last = producer.send(record);
            untimedBytes += record.length;
            if (untimedBytes >= TIMED_EVERY_BYTES) {
                untimedBytes = 0;
                last.thenRun(this::acknowledged);
            }
        }

        private void acknowledged() {
            long now = System.nanoTime();
            if (lastAcknowledged != 0) {
                longestGap.accumulateAndGet(now - lastAcknowledged, Math::max);
            }
            lastAcknowledged = now;
        }

        @Override
        public long longestGapNanos() {
            return longestGap.get();
        }

        @Override
        public void close() {
            producer.close();
            last.join();
            muster.close();
        }
    }

    private static final class Polling implements Source {
        private final Muster muster;
        private final Reader<byte[], byte[]> reader;
        private Iterator<Received<byte[], byte[]>> polled = Collections.emptyIterator();

        Polling(Muster muster, Reader<byte[], byte[]> reader) {
            this.muster = muster;
            this.reader = reader;
        }

        @Override
        public byte[] next() {
            if (!polled.hasNext()) {
                polled = reader.poll(Duration.ZERO).iterator();
            }
            return polled.hasNext() ? polled.next().value() : null;
        }

        @Override
        public void close() {
            reader.close();
            muster.close();
        }
    }
}
