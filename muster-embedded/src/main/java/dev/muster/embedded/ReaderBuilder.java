package dev.muster.embedded;

import dev.muster.store.DamagedLogException;
import java.util.function.Consumer;

/** Describes a reader. Each method returns a new description; nothing happens before {@link #open}. */
public interface ReaderBuilder<K, V> {
    <T> ReaderBuilder<T, V> keys(Codec<T> codec);

    <T> ReaderBuilder<K, T> values(Codec<T> codec);

    /** Where to begin; {@link Start#earliest()} unless told. */
    ReaderBuilder<K, V> from(Start start);

    /** Only these partitions, of each topic; without this all, those added later too. */
    ReaderBuilder<K, V> partitions(int... only);

    /** What to do at damaged bytes; {@link OnDamage#STOP} unless told. */
    ReaderBuilder<K, V> onDamage(OnDamage choice);

    /** As {@link #onDamage(OnDamage)}; the listener hears of what is skipped, on the thread that polls. */
    ReaderBuilder<K, V> onDamage(OnDamage choice, Consumer<DamagedLogException> listener);

    /** What to do where there is nothing at the position; {@link OnOutOfRange#THROW} unless told. */
    ReaderBuilder<K, V> onOutOfRange(OnOutOfRange choice);

    /** The most records that one {@code poll} returns; 10 000 unless told. */
    ReaderBuilder<K, V> maxRecords(int count);

    /** @throws dev.muster.store.TopicNotFoundException when there is no such topic or partition */
    Reader<K, V> open();
}
