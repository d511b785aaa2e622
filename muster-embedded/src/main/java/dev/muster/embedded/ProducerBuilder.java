package dev.muster.embedded;

import dev.muster.core.CompressionKind;
import dev.muster.core.TopicName;
import dev.muster.engine.produce.SendOptions;
import java.time.Duration;
import java.util.Objects;

/** Describes a producer. Each method returns a new description; nothing happens before {@link #open}. */
public final class ProducerBuilder<K, V> {
    private final Muster muster;
    private final TopicName topic;
    private final Codec<K> keys;
    private final Codec<V> values;
    private final SendOptions options;
    private final WhenFull whenFull;

    private ProducerBuilder(
            Muster muster, TopicName topic, Codec<K> keys, Codec<V> values, SendOptions options, WhenFull whenFull) {
        this.muster = muster;
        this.topic = topic;
        this.keys = Objects.requireNonNull(keys, "keys");
        this.values = Objects.requireNonNull(values, "values");
        this.options = options;
        this.whenFull = Objects.requireNonNull(whenFull, "whenFull");
    }

    static ProducerBuilder<byte[], byte[]> of(Muster muster, String topic) {
        return new ProducerBuilder<>(
                muster, new TopicName(topic), Codec.BYTES, Codec.BYTES, SendOptions.DEFAULT, WhenFull.BLOCK);
    }

    public <T> ProducerBuilder<T, V> keys(Codec<T> codec) {
        return new ProducerBuilder<>(muster, topic, codec, values, options, whenFull);
    }

    public <T> ProducerBuilder<K, T> values(Codec<T> codec) {
        return new ProducerBuilder<>(muster, topic, keys, codec, options, whenFull);
    }

    /** The compression, in place of the topic's {@code compression.type}. Some need a library beside this one. */
    public ProducerBuilder<K, V> compression(CompressionKind kind) {
        return with(options.withCompression(Objects.requireNonNull(kind, "kind")));
    }

    /**
     * The most bytes that a batch grows to where records come faster than they are written; 256 KiB unless told. A
     * larger record gets a batch of its own.
     */
    public ProducerBuilder<K, V> batchBytes(int bytes) {
        return with(options.withBatchBytes(bytes));
    }

    /** Memory for records that are not written yet; 32 MiB unless told. */
    public ProducerBuilder<K, V> bufferBytes(long bytes) {
        return with(options.withBufferBytes(bytes));
    }

    /** What {@code send} does while that memory is in use; {@link WhenFull#BLOCK} unless told. */
    public ProducerBuilder<K, V> whenFull(WhenFull choice) {
        return new ProducerBuilder<>(muster, topic, keys, values, options, choice);
    }

    /** How long {@code send} waits for room; a minute unless told. */
    public ProducerBuilder<K, V> maxBlock(Duration time) {
        return with(options.withMaxBlock(time));
    }

    /** How long a record may take from {@code send} to its acknowledgement; two minutes unless told. */
    public ProducerBuilder<K, V> deliveryTimeout(Duration time) {
        return with(options.withDeliveryTimeout(time));
    }

    /**
     * @throws dev.muster.core.CompressionUnavailableException if the library of the compression is missing
     * @throws dev.muster.store.TopicNotFoundException when there is no such topic
     * @throws dev.muster.store.ReadOnlyException when nothing may be written here
     */
    public Producer<K, V> open() {
        SendOptions chosen = whenFull == WhenFull.FAIL ? options.withMaxBlock(Duration.ZERO) : options;
        return muster.closesWithThis(new TopicProducer<>(muster, topic, keys, values, chosen));
    }

    private ProducerBuilder<K, V> with(SendOptions changed) {
        return new ProducerBuilder<>(muster, topic, keys, values, changed, whenFull);
    }
}
