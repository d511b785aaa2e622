import dev.muster.core.SyncLevel;
import dev.muster.embedded.Codec;
import dev.muster.embedded.Muster;
import dev.muster.embedded.Position;
import dev.muster.embedded.Producer;
import dev.muster.embedded.Received;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Muster for an outside comparison that measures any embedded queue behind its own {@code Peer} interface. It is
 * compiled against that interface by the script beside it and is no part of the build.
 *
 * <p>Without syncs, records go to a {@code sync=os} topic and an append returns before its record is written, as
 * producers do; closing writes the rest. With syncs, they go to a {@code sync=commit} topic and {@code sync} waits for
 * the acknowledgement of everything appended before. In tests that kill the process, use {@link MusterAckPeer}: there a
 * record survives once its append has returned.
 */
public class MusterPeer implements Peer {
    private static final String TOPIC = "referee";

    @Override
    public Writer writer(Path dir, Sync sync, int batch, int payloadSize) {
        Muster muster = Muster.open(dir);
        SyncLevel level = sync == Sync.NONE ? SyncLevel.OS : SyncLevel.COMMIT;
        muster.topics().ensure(TOPIC, topic -> topic.partitions(1).sync(level));
        return writer(muster, muster.producer(TOPIC, Codec.BYTES, Codec.BYTES), sync);
    }

    Writer writer(Muster muster, Producer<byte[], byte[]> producer, Sync sync) {
        return sync == Sync.NONE ? new Streaming(muster, producer) : new Syncing(muster, producer, new ArrayList<>());
    }

    @Override
    public Reader reader(Path dir, int payloadSize) {
        return new Polling(Muster.open(dir));
    }

    @Override
    public boolean manyWriters() {
        return true;
    }

    /** No acknowledgement is waited for but the last one: it comes when all are written. */
    private static final class Streaming implements Writer {
        private final Muster muster;
        private final Producer<byte[], byte[]> producer;
        private CompletableFuture<Position> last = CompletableFuture.completedFuture(null);

        Streaming(Muster muster, Producer<byte[], byte[]> producer) {
            this.muster = muster;
            this.producer = producer;
        }

        @Override
        public void append(byte[] payload) {
            last = producer.send(payload);
        }

        @Override
        public void sync() {
            throw new UnsupportedOperationException("opened without syncs");
        }

        @Override
        public void close() {
            producer.close();
            last.join();
            muster.close();
        }
    }

    private record Syncing(Muster muster, Producer<byte[], byte[]> producer, List<CompletableFuture<Position>> open)
            implements Writer {
        @Override
        public void append(byte[] payload) {
            open.add(producer.send(payload));
        }

        @Override
        public void sync() {
            open.forEach(CompletableFuture::join);
            open.clear();
        }

        @Override
        public void close() {
            sync();
            producer.close();
            muster.close();
        }
    }

    /** The topic may not be there yet: whoever writes makes it, at the level it needs. */
    private static final class Polling implements Reader {
        private final Muster muster;
        private dev.muster.embedded.Reader<byte[], byte[]> reader;
        private Iterator<Received<byte[], byte[]>> polled = Collections.emptyIterator();

        Polling(Muster muster) {
            this.muster = muster;
        }

        @Override
        public byte[] next() {
            if (!polled.hasNext()) {
                if (reader == null && muster.topics().find(TOPIC).isEmpty()) {
                    return null;
                }
                if (reader == null) {
                    reader = muster.reader(TOPIC, Codec.BYTES, Codec.BYTES);
                }
                polled = reader.poll(Duration.ZERO).iterator();
            }
            return polled.hasNext() ? polled.next().value() : null;
        }

        @Override
        public void close() {
            muster.close();
        }
    }
}
