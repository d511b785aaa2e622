package dev.muster.embedded.internal;

import dev.muster.core.TimestampWindow;
import dev.muster.core.TopicName;
import dev.muster.embedded.Codec;
import dev.muster.embedded.Message;
import dev.muster.embedded.Position;
import dev.muster.embedded.Producer;
import dev.muster.engine.produce.RecordSender;
import dev.muster.engine.produce.SendOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A {@link RecordSender} with codecs. */
final class LocalProducer<K, V> implements Producer<K, V> {
    private final OpenMuster muster;
    private final Codec<K> keys;
    private final Codec<V> values;
    private final RecordSender<Position> sender;

    LocalProducer(OpenMuster muster, TopicName topic, Codec<K> keys, Codec<V> values, SendOptions options) {
        this.muster = muster;
        this.keys = keys;
        this.values = values;
        String name = topic.value();
        this.sender = new RecordSender<>(
                muster.store(),
                topic,
                options,
                (partition, offset, timestamp) -> new Position(name, partition, offset, timestamp));
    }

    @Override
    public CompletableFuture<Position> send(V value) {
        return sender.send(RecordSender.ANY_PARTITION, RecordSender.NOW, null, values.encode(value), List.of());
    }

    @Override
    public CompletableFuture<Position> send(K key, V value) {
        return sender.send(
                RecordSender.ANY_PARTITION, RecordSender.NOW, keys.encode(key), values.encode(value), List.of());
    }

    @Override
    public CompletableFuture<Position> send(Message<K, V> message) {
        return sender.send(
                message.partition() == null ? RecordSender.ANY_PARTITION : message.partition(),
                message.timestamp() == null ? RecordSender.NOW : millis(message.timestamp()),
                keys.encode(message.key()),
                values.encode(message.value()),
                message.headers());
    }

    /** Milliseconds of a time. Never {@link RecordSender#NOW}, which stands for the time of sending. */
    private static long millis(Instant time) {
        return Math.max(TimestampWindow.millis(time), RecordSender.NOW + 1);
    }

    @Override
    public void flush() {
        sender.flush();
    }

    @Override
    public void close() {
        sender.close();
        muster.closedAlready(this);
    }

    @Override
    public void close(Duration timeout) {
        sender.close(timeout);
        muster.closedAlready(this);
    }
}
