package dev.muster.embedded;

import dev.muster.core.TopicName;
import dev.muster.engine.read.ReadTarget;
import dev.muster.store.DamagedLogException;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** Describes a reader. Each method returns a new description; nothing happens before {@link #open}. */
public final class ReaderBuilder<K, V> {
    static final int RECORDS_MAX = 10_000;

    private final Muster muster;
    private final Codec<K> keys;
    private final Codec<V> values;
    private final Plan plan;

    /** What to read, and what to do when that is not possible. */
    record Plan(
            List<TopicName> topics,
            List<Integer> partitions,
            Start start,
            int recordsMax,
            OnDamage onDamage,
            Consumer<DamagedLogException> damageListener,
            OnOutOfRange onOutOfRange) {

        List<ReadTarget> subjects() {
            return topics.stream()
                    .map(topic -> new ReadTarget(topic, partitions))
                    .toList();
        }
    }

    private ReaderBuilder(Muster muster, Codec<K> keys, Codec<V> values, Plan plan) {
        this.muster = muster;
        this.keys = Objects.requireNonNull(keys, "keys");
        this.values = Objects.requireNonNull(values, "values");
        this.plan = plan;
    }

    static ReaderBuilder<byte[], byte[]> of(Muster muster, List<String> topics) {
        if (topics.isEmpty()) {
            throw new IllegalArgumentException("a reader needs a topic");
        }
        if (new HashSet<>(topics).size() != topics.size()) {
            throw new IllegalArgumentException("a topic is named twice: " + String.join(", ", topics));
        }
        Plan plan = new Plan(
                topics.stream().map(TopicName::new).toList(),
                List.of(),
                Start.earliest(),
                RECORDS_MAX,
                OnDamage.STOP,
                damage -> {},
                OnOutOfRange.THROW);
        return new ReaderBuilder<>(muster, Codec.BYTES, Codec.BYTES, plan);
    }

    public <T> ReaderBuilder<T, V> keys(Codec<T> codec) {
        return new ReaderBuilder<>(muster, codec, values, plan);
    }

    public <T> ReaderBuilder<K, T> values(Codec<T> codec) {
        return new ReaderBuilder<>(muster, keys, codec, plan);
    }

    /** Where to begin; {@link Start#earliest()} unless told. */
    public ReaderBuilder<K, V> from(Start start) {
        Objects.requireNonNull(start, "start");
        return with(new Plan(
                plan.topics,
                plan.partitions,
                start,
                plan.recordsMax,
                plan.onDamage,
                plan.damageListener,
                plan.onOutOfRange));
    }

    /** Only these partitions, of each topic; without this all, those added later too. */
    public ReaderBuilder<K, V> partitions(int... only) {
        if (only.length == 0 || IntStream.of(only).distinct().count() != only.length) {
            throw new IllegalArgumentException("name each partition once, at least one");
        }
        return with(new Plan(
                plan.topics,
                IntStream.of(only).boxed().toList(),
                plan.start,
                plan.recordsMax,
                plan.onDamage,
                plan.damageListener,
                plan.onOutOfRange));
    }

    /** What to do at damaged bytes; {@link OnDamage#STOP} unless told. */
    public ReaderBuilder<K, V> onDamage(OnDamage choice) {
        return onDamage(choice, damage -> {});
    }

    /** As {@link #onDamage(OnDamage)}; the listener hears of what is skipped, on the thread that polls. */
    public ReaderBuilder<K, V> onDamage(OnDamage choice, Consumer<DamagedLogException> listener) {
        return with(new Plan(
                plan.topics,
                plan.partitions,
                plan.start,
                plan.recordsMax,
                Objects.requireNonNull(choice, "choice"),
                Objects.requireNonNull(listener, "listener"),
                plan.onOutOfRange));
    }

    /** What to do where there is nothing at the position; {@link OnOutOfRange#THROW} unless told. */
    public ReaderBuilder<K, V> onOutOfRange(OnOutOfRange choice) {
        return with(new Plan(
                plan.topics,
                plan.partitions,
                plan.start,
                plan.recordsMax,
                plan.onDamage,
                plan.damageListener,
                Objects.requireNonNull(choice, "choice")));
    }

    /** The most records that one {@code poll} returns; 10 000 unless told. */
    public ReaderBuilder<K, V> maxRecords(int count) {
        if (count < 1) {
            throw new IllegalArgumentException("maxRecords must be at least 1, it is " + count);
        }
        return with(new Plan(
                plan.topics,
                plan.partitions,
                plan.start,
                count,
                plan.onDamage,
                plan.damageListener,
                plan.onOutOfRange));
    }

    /** @throws dev.muster.store.TopicNotFoundException when there is no such topic or partition */
    public Reader<K, V> open() {
        return muster.closesWithThis(new TopicReader<>(muster, keys, values, plan));
    }

    private ReaderBuilder<K, V> with(Plan changed) {
        return new ReaderBuilder<>(muster, keys, values, changed);
    }
}
