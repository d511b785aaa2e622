package dev.muster.embedded.internal;

import dev.muster.core.TopicName;
import dev.muster.embedded.Codec;
import dev.muster.embedded.OnDamage;
import dev.muster.embedded.OnOutOfRange;
import dev.muster.embedded.Reader;
import dev.muster.embedded.ReaderBuilder;
import dev.muster.embedded.Start;
import dev.muster.engine.read.ReadTarget;
import dev.muster.store.DamagedLogException;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** Collects the settings of a reader, and opens it. */
final class LocalReaderBuilder<K, V> implements ReaderBuilder<K, V> {
    static final int RECORDS_MAX = 10_000;

    private final OpenMuster muster;
    private final Codec<K> keys;
    private final Codec<V> values;
    private final Plan plan;

    /** The settings of a reader. */
    record Plan(
            List<TopicName> topics,
            List<Integer> partitions,
            Start start,
            int recordsMax,
            OnDamage onDamage,
            Consumer<DamagedLogException> damageListener,
            OnOutOfRange onOutOfRange) {

        List<ReadTarget> targets() {
            return topics.stream()
                    .map(topic -> new ReadTarget(topic, partitions))
                    .toList();
        }
    }

    private LocalReaderBuilder(OpenMuster muster, Codec<K> keys, Codec<V> values, Plan plan) {
        this.muster = muster;
        this.keys = Objects.requireNonNull(keys, "keys");
        this.values = Objects.requireNonNull(values, "values");
        this.plan = plan;
    }

    static ReaderBuilder<byte[], byte[]> of(OpenMuster muster, List<String> topics) {
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
        return new LocalReaderBuilder<>(muster, Codec.BYTES, Codec.BYTES, plan);
    }

    @Override
    public <T> ReaderBuilder<T, V> keys(Codec<T> codec) {
        return new LocalReaderBuilder<>(muster, codec, values, plan);
    }

    @Override
    public <T> ReaderBuilder<K, T> values(Codec<T> codec) {
        return new LocalReaderBuilder<>(muster, keys, codec, plan);
    }

    @Override
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

    @Override
    public ReaderBuilder<K, V> partitions(int... only) {
        if (only.length == 0 || IntStream.of(only).distinct().count() != only.length) {
            throw new IllegalArgumentException("partitions must be named once each, and at least one");
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

    @Override
    public ReaderBuilder<K, V> onDamage(OnDamage choice) {
        return onDamage(choice, damage -> {});
    }

    @Override
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

    @Override
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

    @Override
    public ReaderBuilder<K, V> maxRecords(int count) {
        if (count < 1) {
            throw new IllegalArgumentException("maxRecords must be at least 1: " + count);
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

    @Override
    public Reader<K, V> open() {
        return muster.closesWithThis(new LocalReader<>(muster, keys, values, plan));
    }

    private LocalReaderBuilder<K, V> with(Plan changed) {
        return new LocalReaderBuilder<>(muster, keys, values, changed);
    }
}
