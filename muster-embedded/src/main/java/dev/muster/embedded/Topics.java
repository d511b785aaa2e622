package dev.muster.embedded;

import dev.muster.core.TimestampWindow;
import dev.muster.core.TopicName;
import dev.muster.core.TopicSettings;
import dev.muster.store.LogStore;
import dev.muster.store.PartitionLog;
import dev.muster.store.PartitionLog.OffsetAndTimestamp;
import dev.muster.store.Topic;
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

/** The topics of a {@link Muster}: makes, shows, changes and deletes them. For all threads. */
public final class Topics {
    /** Throws when the instance this belongs to is closed. */
    private final Supplier<LogStore> store;

    Topics(Supplier<LogStore> store) {
        this.store = store;
    }

    /** @throws TopicExistsException when there is one of that name */
    public Topic create(String name, int partitions) {
        return create(name, partitions, TopicSettings.DEFAULT);
    }

    /** @throws TopicExistsException when there is one of that name */
    public Topic create(String name, int partitions, TopicSettings settings) {
        return store.get().create(new TopicName(name), partitions, settings);
    }

    /**
     * Makes the topic when it is not there; leaves one that is there as it is. A topic that is there keeps its
     * settings, and may have more partitions than the description says: it may have grown.
     *
     * <pre>{@code
     * muster.topics().ensure("orders", t -> t.partitions(12).retention(Duration.ofDays(7)));
     * }</pre>
     *
     * @throws TopicExistsException when there is one with fewer partitions; {@link #addPartitions} raises the number
     */
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
            // Another process made it between the two looks; it may even be gone again.
            return store.get().find(topic).orElseThrow(() -> e);
        }
    }

    public Optional<Topic> find(String name) {
        return store.get().find(new TopicName(name));
    }

    /** @throws TopicNotFoundException when there is none */
    public Topic describe(String name) {
        return find(name).orElseThrow(() -> new TopicNotFoundException("topic \"" + name + "\""));
    }

    /** All topics, by name. */
    public List<Topic> list() {
        return store.get().list();
    }

    /**
     * Raises the number of partitions. Records of a key may go to another partition from then on.
     *
     * @param total how many there shall be
     */
    public Topic addPartitions(String name, int total) {
        return store.get().addPartitions(new TopicName(name), total);
    }

    /** Changes some settings and leaves the others as they are. */
    public Topic alter(String name, Map<String, String> changes) {
        Map<String, String> settings = new HashMap<>(describe(name).settings().toMap());
        settings.putAll(changes);
        return store.get().alter(new TopicName(name), TopicSettings.fromMap(settings));
    }

    /** Deletes the topic with all its records. */
    public void delete(String name) {
        store.get().delete(new TopicName(name));
    }

    /** @throws TopicNotFoundException when there is no such topic or partition */
    public PartitionInfo partition(String name, int partition) {
        return info(log(name, partition));
    }

    public List<PartitionInfo> partitions(String name) {
        Topic topic = describe(name);
        return IntStream.range(0, topic.partitions())
                .mapToObj(partition -> info(store.get().log(topic.id(), partition)))
                .toList();
    }

    /** Makes records below the offset unreadable, for good. */
    public void trim(String name, int partition, long offset) {
        log(name, partition).trim(offset);
    }

    /** The first record of this time or later. */
    public Optional<OffsetAndTimestamp> offsetAt(String name, int partition, Instant time) {
        return log(name, partition).firstAtOrAfter(TimestampWindow.millis(time));
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
        // The end is read last: it never goes back, so the pair cannot be upside down.
        long start = log.startOffset();
        return new PartitionInfo(log.partition(), start, Math.max(start, log.endOffset()), log.sizeBytes());
    }
}
