package dev.muster.embedded.internal;

import dev.muster.core.CompressionKind;
import dev.muster.core.TopicName;
import dev.muster.embedded.Codec;
import dev.muster.embedded.OnBufferFull;
import dev.muster.embedded.Producer;
import dev.muster.embedded.ProducerBuilder;
import dev.muster.engine.produce.SendOptions;
import java.time.Duration;
import java.util.Objects;

/** Collects the settings of a producer, and opens it. */
final class LocalProducerBuilder<K, V> implements ProducerBuilder<K, V> {
    private final OpenMuster muster;
    private final TopicName topic;
    private final Codec<K> keys;
    private final Codec<V> values;
    private final SendOptions options;
    private final OnBufferFull whenFull;

    private LocalProducerBuilder(
            OpenMuster muster,
            TopicName topic,
            Codec<K> keys,
            Codec<V> values,
            SendOptions options,
            OnBufferFull whenFull) {
        this.muster = muster;
        this.topic = topic;
        this.keys = Objects.requireNonNull(keys, "keys");
        this.values = Objects.requireNonNull(values, "values");
        this.options = options;
        this.whenFull = Objects.requireNonNull(whenFull, "whenFull");
    }

    static ProducerBuilder<byte[], byte[]> of(OpenMuster muster, String topic) {
        return new LocalProducerBuilder<>(
                muster, new TopicName(topic), Codec.BYTES, Codec.BYTES, SendOptions.DEFAULT, OnBufferFull.BLOCK);
    }

    @Override
    public <T> ProducerBuilder<T, V> keys(Codec<T> codec) {
        return new LocalProducerBuilder<>(muster, topic, codec, values, options, whenFull);
    }

    @Override
    public <T> ProducerBuilder<K, T> values(Codec<T> codec) {
        return new LocalProducerBuilder<>(muster, topic, keys, codec, options, whenFull);
    }

    @Override
    public ProducerBuilder<K, V> compression(CompressionKind kind) {
        return with(options.withCompression(Objects.requireNonNull(kind, "kind")));
    }

    @Override
    public ProducerBuilder<K, V> batchBytes(int bytes) {
        return with(options.withBatchBytes(bytes));
    }

    @Override
    public ProducerBuilder<K, V> bufferBytes(long bytes) {
        return with(options.withBufferBytes(bytes));
    }

    @Override
    public ProducerBuilder<K, V> whenFull(OnBufferFull choice) {
        return new LocalProducerBuilder<>(muster, topic, keys, values, options, choice);
    }

    @Override
    public ProducerBuilder<K, V> maxBlock(Duration time) {
        return with(options.withMaxBlock(time));
    }

    @Override
    public ProducerBuilder<K, V> deliveryTimeout(Duration time) {
        return with(options.withDeliveryTimeout(time));
    }

    @Override
    public Producer<K, V> open() {
        SendOptions chosen = whenFull == OnBufferFull.FAIL ? options.withMaxBlock(Duration.ZERO) : options;
        return muster.closesWithThis(new LocalProducer<>(muster, topic, keys, values, chosen));
    }

    private LocalProducerBuilder<K, V> with(SendOptions changed) {
        return new LocalProducerBuilder<>(muster, topic, keys, values, changed, whenFull);
    }
}
