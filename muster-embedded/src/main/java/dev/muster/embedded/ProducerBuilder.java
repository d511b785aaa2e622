package dev.muster.embedded;

import dev.muster.core.CompressionKind;
import java.time.Duration;

/** Describes a producer. Each method returns a new description; nothing happens before {@link #open}. */
public interface ProducerBuilder<K, V> {
    <T> ProducerBuilder<T, V> keys(Codec<T> codec);

    <T> ProducerBuilder<K, T> values(Codec<T> codec);

    /**
     * The compression, in place of the topic's {@code compression.type}. Some kinds need a library of their own on the
     * class path.
     */
    ProducerBuilder<K, V> compression(CompressionKind kind);

    /**
     * The most bytes of a batch; 256 KiB by default. Batches grow when records arrive faster than they are written. A
     * larger record gets a batch of its own.
     */
    ProducerBuilder<K, V> batchBytes(int bytes);

    /** The memory for records that are not written yet; 32 MiB by default. */
    ProducerBuilder<K, V> bufferBytes(long bytes);

    /** What {@code send} does while the buffer is full; {@link OnBufferFull#BLOCK} by default. */
    ProducerBuilder<K, V> whenFull(OnBufferFull choice);

    /** The longest time that {@code send} waits for room in the buffer; a minute by default. */
    ProducerBuilder<K, V> maxBlock(Duration time);

    /** The longest time from {@code send} to the acknowledgement; two minutes by default. */
    ProducerBuilder<K, V> deliveryTimeout(Duration time);

    /**
     * Opens the producer.
     *
     * @throws dev.muster.core.CompressionUnavailableException if the library of the compression is missing
     * @throws dev.muster.store.TopicNotFoundException if there is no such topic
     * @throws dev.muster.store.ReadOnlyException if this process may not write here
     */
    Producer<K, V> open();
}
