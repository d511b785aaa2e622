package dev.muster.embedded;

import dev.muster.store.DamagedLogException;
import java.util.function.Consumer;

/** Describes a reader. Each method returns a new description; nothing happens before {@link #open}. */
public interface ReaderBuilder<K, V> {
    <T> ReaderBuilder<T, V> keys(Codec<T> codec);

    <T> ReaderBuilder<K, T> values(Codec<T> codec);

    /** The place to begin at; {@link Start#earliest()} by default. */
    ReaderBuilder<K, V> from(Start start);

    /** Reads only these partitions of each topic. By default all are read, including partitions added later. */
    ReaderBuilder<K, V> partitions(int... only);

    /** The reaction to damaged bytes; {@link OnDamage#STOP} by default. */
    ReaderBuilder<K, V> onDamage(OnDamage choice);

    /** Like {@link #onDamage(OnDamage)}; the listener is called for each skipped damage, on the thread that polls. */
    ReaderBuilder<K, V> onDamage(OnDamage choice, Consumer<DamagedLogException> listener);

    /** The reaction to a position that is not in the log; {@link OnOutOfRange#THROW} by default. */
    ReaderBuilder<K, V> onOutOfRange(OnOutOfRange choice);

    /** The most records that one {@code poll} returns; 10 000 by default. */
    ReaderBuilder<K, V> maxRecords(int count);

    /**
     * Opens the reader.
     *
     * @throws dev.muster.store.TopicNotFoundException if there is no such topic or partition
     */
    Reader<K, V> open();
}
