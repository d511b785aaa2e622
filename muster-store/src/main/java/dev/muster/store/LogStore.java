package dev.muster.store;

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
     * Makes a topic. When this returns the topic is durable.
     *
     * @throws TopicExistsException when there is one of that name; of several concurrent calls exactly one succeeds
     */
    Topic create(TopicName name, int partitions, TopicSettings settings);

    Optional<Topic> find(TopicName name);

    /** All topics, by name. */
    List<Topic> list();

    /**
     * Raises the number of partitions. Processes that have the topic open see it at their next batch; the order of
     * records per key across the change is not promised.
     *
     * @throws TopicNotFoundException when there is no such topic
     */
    Topic addPartitions(TopicName name, int partitions);

    /** Replaces the settings. */
    Topic alter(TopicName name, TopicSettings settings);

    /**
     * Deletes a topic with all its records. No append to it is acknowledged after this returned, in any process:
     * appenders and readers get {@link TopicDeletedException}.
     */
    void delete(TopicName name);

    /**
     * True if it is recorded that this topic was deleted. False for a topic that is there, for one that this store
     * never had, and for one whose files are missing: such a topic may come back, and what refers to it must be kept.
     */
    boolean isDeleted(TopicId topic);

    /**
     * The log of one partition. Instances are shared and live as long as the store.
     *
     * @throws TopicNotFoundException when that topic or partition is not there (any more)
     */
    PartitionLog log(TopicId topic, int partition);

    /**
     * The present number of partitions; cheap enough to ask before each batch. Throws {@link TopicDeletedException}.
     */
    int partitions(TopicId topic);

    /** A producer id that this store never gave before. */
    long newProducerId();

    /**
     * Whether this store was opened without the right to write: appends and changes throw {@link ReadOnlyException}.
     */
    boolean readOnly();

    /** The identity of this store, the same for all who open it. */
    UUID id();

    /**
     * Takes a role that one user of the store at most may have, of all processes and within this one.
     *
     * @param role letters and hyphens
     * @return empty when somebody has it; it is free again when the claim is closed, or its process is dead
     */
    Optional<Claim> claim(String role);

    /** A role that is held until it is closed. */
    interface Claim extends AutoCloseable {
        @Override
        void close();
    }

    /** The room on the disk; empty when the store is not on one, or its size is not known. */
    default Optional<DiskState> disk() {
        return Optional.empty();
    }

    /** The consumer groups of this store. */
    GroupStore groups();

    /** Lets go of everything. What was acknowledged needs no close to be safe. */
    @Override
    void close();
}
