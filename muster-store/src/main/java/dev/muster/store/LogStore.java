package dev.muster.store;

import dev.muster.core.Topic;
import dev.muster.core.TopicId;
import dev.muster.core.TopicName;
import dev.muster.core.TopicSettings;
import dev.muster.store.group.GroupStore;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Topics and their partition logs. Safe for use by many threads. */
public interface LogStore extends AutoCloseable {
    int PARTITIONS_MAX = 10_000;

    /**
     * Creates a topic. The topic is durable when this returns.
     *
     * @throws TopicExistsException if a topic of that name exists; of several concurrent calls exactly one succeeds
     */
    Topic create(TopicName name, int partitions, TopicSettings settings);

    Optional<Topic> find(TopicName name);

    /** All topics, by name. */
    List<Topic> list();

    /**
     * Raises the number of partitions. Processes that have the topic open use the new number from their next batch on.
     * The order of records per key across the change is not promised.
     *
     * @throws TopicNotFoundException if there is no such topic
     */
    Topic addPartitions(TopicName name, int partitions);

    /** Replaces the settings of a topic. */
    Topic alter(TopicName name, TopicSettings settings);

    /**
     * Deletes a topic with all its records. After this returned, no process acknowledges an append to the topic:
     * writers and readers get {@link TopicDeletedException}.
     */
    void delete(TopicName name);

    /**
     * True if it is recorded that this topic was deleted. False for an existing topic, for a topic that this store
     * never had, and for a topic whose files are missing. Such a topic may come back, so data that refers to it must be
     * kept.
     */
    boolean isDeleted(TopicId topic);

    /**
     * The log of one partition. Instances are shared and live as long as the store.
     *
     * @throws TopicNotFoundException if the topic or the partition does not exist, or not any more
     */
    PartitionLog log(TopicId topic, int partition);

    /**
     * The current number of partitions. The call is cheap enough to make before each batch.
     *
     * @throws TopicDeletedException if the topic was deleted
     */
    int partitions(TopicId topic);

    /** A new producer id. The store never returned it before. */
    long newProducerId();

    /** True if this store was opened read-only: appends and changes throw {@link ReadOnlyException}. */
    boolean readOnly();

    /** The identity of this store, the same for all processes that open it. */
    UUID id();

    /**
     * Takes a role. At most one user of the store has a role at a time, over all processes and within this one.
     *
     * @param role the name of the role: letters and hyphens
     * @return the claim; empty if the role is taken. The role is free again when the claim is closed or its process has
     *     died
     */
    Optional<Claim> claim(String role);

    /** A role that its user holds until the claim is closed. */
    interface Claim extends AutoCloseable {
        @Override
        void close();
    }

    /** The room on the disk; empty if the store is not on a disk, or the size of the disk is not known. */
    default Optional<DiskState> disk() {
        return Optional.empty();
    }

    /** The consumer groups of this store. */
    GroupStore groups();

    /** Releases all resources. Acknowledged records are safe without a close. */
    @Override
    void close();
}
