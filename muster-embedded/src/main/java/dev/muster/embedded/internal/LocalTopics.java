package dev.muster.embedded.internal;

import dev.muster.core.TimestampWindow;
import dev.muster.core.Topic;
import dev.muster.core.TopicName;
import dev.muster.core.TopicSettings;
import dev.muster.embedded.admin.PartitionInfo;
import dev.muster.embedded.admin.TimedOffset;
import dev.muster.embedded.admin.TopicSpec;
import dev.muster.embedded.admin.Topics;
import dev.muster.store.LogStore;
import dev.muster.store.PartitionLog;
import dev.muster.store.TopicExistsException;
import dev.muster.store.TopicNotFoundException;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/** The topics of one store. */
final class LocalTopics implements Topics {
    /** Throws if the queue of this object is closed. */
    private final Supplier<LogStore> store;

    LocalTopics(Supplier<LogStore> store) {
        this.store = store;
    }

    @Override
    public Topic create(String name, int partitions) {
        return create(name, partitions, TopicSettings.DEFAULT);
    }

    @Override
    public Topic create(String name, int partitions, TopicSettings settings) {
        return store.get().create(new TopicName(name), partitions, settings);
    }

    @Override
    public Topic ensure(String name, UnaryOperator<TopicSpec> spec) {
        TopicName topic = new TopicName(name);
        TopicSpec wanted = spec.apply(TopicSpec.DEFAULT);
        Topic present = store.get().find(topic).orElseGet(() -> createOrFind(topic, wanted));
        if (present.partitions() < wanted.partitions()) {
            throw new TopicExistsException(name, present.partitions(), wanted.partitions());
        }
        return present;
    }

    private Topic createOrFind(TopicName topic, TopicSpec wanted) {
        try {
            return store.get().create(topic, wanted.partitions(), wanted.settings());
        } catch (TopicExistsException e) {
            // Another process created it between find and create. It may even be deleted again.
            return store.get().find(topic).orElseThrow(() -> e);
        }
    }

    @Override
    public Optional<Topic> find(String name) {
        return store.get().find(new TopicName(name));
    }

    @Override
    public Topic describe(String name) {
        return find(name).orElseThrow(() -> new TopicNotFoundException("topic \"" + name + "\""));
    }

    @Override
    public List<Topic> list() {
        return store.get().list();
    }

    @Override
    public Topic addPartitions(String name, int total) {
        return store.get().addPartitions(new TopicName(name), total);
    }

    @Override
    public Topic alter(String name, Map<String, String> changes) {
        Map<String, String> settings = new HashMap<>(describe(name).settings().toMap());
        settings.putAll(changes);
        return store.get().alter(new TopicName(name), TopicSettings.fromMap(settings));
    }

    @Override
    public void delete(String name) {
        store.get().delete(new TopicName(name));
    }

    @Override
    public PartitionInfo partition(String name, int partition) {
        return info(log(name, partition));
    }

    @Override
    public List<PartitionInfo> partitions(String name) {
        Topic topic = describe(name);
        return IntStream.range(0, topic.partitions())
                .mapToObj(partition -> info(store.get().log(topic.id(), partition)))
                .toList();
    }

    @Override
    public void trim(String name, int partition, long offset) {
        log(name, partition).trim(offset);
    }

    @Override
    public Optional<TimedOffset> offsetAt(String name, int partition, Instant time) {
        return log(name, partition)
                .firstAtOrAfter(TimestampWindow.millis(time))
                .map(found -> new TimedOffset(found.offset(), Instant.ofEpochMilli(found.timestamp())));
    }

    private PartitionLog log(String name, int partition) {
        Topic topic = describe(name);
        if (partition < 0 || partition >= topic.partitions()) {
            throw new TopicNotFoundException(
                    "partition " + partition + " of topic \"" + name + "\", which has " + topic.partitions());
        }
        return store.get().log(topic.id(), partition);
    }

    private static PartitionInfo info(PartitionLog log) {
        // The end is read last. It only grows, so it is not below the start read before.
        long start = log.startOffset();
        return new PartitionInfo(log.partition(), start, Math.max(start, log.endOffset()), log.sizeBytes());
    }
}
