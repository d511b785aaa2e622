package dev.muster.embedded.admin;

import dev.muster.core.Topic;
import dev.muster.core.TopicSettings;
import dev.muster.embedded.Muster;
import dev.muster.store.TopicExistsException;
import dev.muster.store.TopicNotFoundException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** The topics of a {@link Muster}: creates, shows, changes and deletes them. Thread-safe. */
public interface Topics {
    /**
     * Creates a topic with default settings.
     *
     * @throws TopicExistsException if there is a topic of that name
     */
    Topic create(String name, int partitions);

    /**
     * Creates a topic.
     *
     * @throws TopicExistsException if there is a topic of that name
     */
    Topic create(String name, int partitions, TopicSettings settings);

    /**
     * Creates the topic if it does not exist. An existing topic keeps its settings; it may have more partitions than
     * the description says, since it may have grown.
     *
     * <pre>{@code
     * muster.topics().ensure("orders", t -> t.partitions(12).retention(Duration.ofDays(7)));
     * }</pre>
     *
     * @throws TopicExistsException if the topic exists with fewer partitions; {@link #addPartitions} raises the number
     */
    Topic ensure(String name, UnaryOperator<TopicSpec> spec);

    /** The topic of this name; empty if there is none. */
    Optional<Topic> find(String name);

    /**
     * The topic of this name.
     *
     * @throws TopicNotFoundException if there is none
     */
    Topic describe(String name);

    /** All topics, by name. */
    List<Topic> list();

    /**
     * Raises the number of partitions. From then on, new records of a key may go to another partition than before.
     *
     * @param total new number of partitions
     */
    Topic addPartitions(String name, int total);

    /** Changes some settings and leaves the others as they are. */
    Topic alter(String name, Map<String, String> changes);

    /** Deletes the topic with all its records. */
    void delete(String name);

    /**
     * The offsets and the size of a partition.
     *
     * @throws TopicNotFoundException if there is no such topic or partition
     */
    PartitionInfo partition(String name, int partition);

    /** The offsets and the size of each partition of a topic. */
    List<PartitionInfo> partitions(String name);

    /** Deletes the records below the offset: they cannot be read any more. */
    void trim(String name, int partition, long offset);

    /** The first record of this time or later; empty if there is none. */
    Optional<TimedOffset> offsetAt(String name, int partition, Instant time);
}
