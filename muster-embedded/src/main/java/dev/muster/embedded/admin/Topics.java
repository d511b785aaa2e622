package dev.muster.embedded.admin;

import dev.muster.core.TopicSettings;
import dev.muster.embedded.Muster;
import dev.muster.store.Topic;
import dev.muster.store.TopicExistsException;
import dev.muster.store.TopicNotFoundException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** The topics of a {@link Muster}: makes, shows, changes and deletes them. For all threads. */
public interface Topics {
    /** @throws TopicExistsException when there is one of that name */
    Topic create(String name, int partitions);

    /** @throws TopicExistsException when there is one of that name */
    Topic create(String name, int partitions, TopicSettings settings);

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
    Topic ensure(String name, UnaryOperator<TopicSpec> spec);

    Optional<Topic> find(String name);

    /** @throws TopicNotFoundException when there is none */
    Topic describe(String name);

    /** All topics, by name. */
    List<Topic> list();

    /**
     * Raises the number of partitions. Records of a key may go to another partition from then on.
     *
     * @param total how many there shall be
     */
    Topic addPartitions(String name, int total);

    /** Changes some settings and leaves the others as they are. */
    Topic alter(String name, Map<String, String> changes);

    /** Deletes the topic with all its records. */
    void delete(String name);

    /** @throws TopicNotFoundException when there is no such topic or partition */
    PartitionInfo partition(String name, int partition);

    List<PartitionInfo> partitions(String name);

    /** Makes records below the offset unreadable, for good. */
    void trim(String name, int partition, long offset);

    /** The first record of this time or later. */
    Optional<TimedOffset> offsetAt(String name, int partition, Instant time);
}
