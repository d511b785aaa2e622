import dev.muster.embedded.Muster;
import dev.muster.embedded.Producer;

/**
 * As {@link MusterPeer}, but an append returns when its record is acknowledged: it survives the death of the process.
 */
public class MusterAckPeer extends MusterPeer {
    @Override
    Writer writer(Muster muster, Producer<byte[], byte[]> producer, Sync sync) {
        return new Acknowledged(muster, producer);
    }

    private record Acknowledged(Muster muster, Producer<byte[], byte[]> producer) implements Writer {
        @Override
        public void append(byte[] payload) {
            producer.send(payload).join();
        }

        /** Where syncs are wanted the topic is {@code sync=commit}: what was acknowledged is durable already. */
        @Override
        public void sync() {}

        @Override
        public void close() {
            producer.close();
            muster.close();
        }
    }
}
