package dev.muster.engine.produce;

import dev.muster.core.TopicName;
import dev.muster.store.LogStore;
import dev.muster.store.batch.Header;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

public final class RecordSender<P> implements AutoCloseable {
    public static final int ANY_PARTITION = -1;
    public static final long NOW = Long.MIN_VALUE;

    public interface PositionFactory<P> {
        P at(int partition, long offset, long timestamp);
    }

    public RecordSender(LogStore store, TopicName topic, SendOptions options, PositionFactory<P> positions) {
        throw new UnsupportedOperationException("not yet");
    }

    public CompletableFuture<P> send(int partition, long timestamp, byte[] key, byte[] value, List<Header> headers) {
        return null;
    }

    public void flush() {}

    @Override
    public void close() {}

    public void close(Duration timeout) {}
}
