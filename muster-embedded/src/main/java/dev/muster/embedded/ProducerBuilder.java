package dev.muster.embedded;

import dev.muster.core.CompressionKind;
import java.time.Duration;

/** Describes a producer. Each method returns a new description; nothing happens before {@link #open}. */
public interface ProducerBuilder<K, V> {
    <T> ProducerBuilder<T, V> keys(Codec<T> codec);

    <T> ProducerBuilder<K, T> values(Codec<T> codec);

    /** The compression, in place of the topic's {@code compression.type}. Some need a library beside this one. */
    ProducerBuilder<K, V> compression(CompressionKind kind);

    /**
     * The most bytes that a batch grows to where records come faster than they are written; 256 KiB unless told. A
     * larger record gets a batch of its own.
     */
    ProducerBuilder<K, V> batchBytes(int bytes);

    /** Memory for records that are not written yet; 32 MiB unless told. */
    ProducerBuilder<K, V> bufferBytes(long bytes);

    /** What {@code send} does while that memory is in use; {@link OnBufferFull#BLOCK} unless told. */
    ProducerBuilder<K, V> whenFull(OnBufferFull choice);

    /** How long {@code send} waits for room; a minute unless told. */
    ProducerBuilder<K, V> maxBlock(Duration time);

    /** How long a record may take from {@code send} to its acknowledgement; two minutes unless told. */
    ProducerBuilder<K, V> deliveryTimeout(Duration time);

    /**
     * @throws dev.muster.core.CompressionUnavailableException if the library of the compression is missing
     * @throws dev.muster.store.TopicNotFoundException when there is no such topic
     * @throws dev.muster.store.ReadOnlyException when nothing may be written here
     */
    Producer<K, V> open();
}
