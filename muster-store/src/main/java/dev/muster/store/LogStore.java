package dev.muster.store;

import dev.muster.core.Topic;
import dev.muster.core.TopicId;
import dev.muster.core.TopicName;
import dev.muster.core.TopicSettings;
import dev.muster.store.batch.EncodedBatch;
import dev.muster.store.group.GroupStore;
import dev.muster.store.watch.Registration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Topics and their partition logs. Safe for use by many threads. */
public interface LogStore extends AutoCloseable {
    int PARTITIONS_MAX = 10_000;

    /**
     * Creates a topic. The topic is durable when this returns.
     *
     * @throws UnsupportedSettingException as {@link #checkSettings} throws it
     * @throws TopicExistsException if a topic of that name exists; of several concurrent calls exactly one succeeds
     */
    Topic create(TopicName name, int partitions, TopicSettings settings);

    Optional<Topic> find(TopicName name);

    /**
     * Checks settings before a topic is created or altered with them.
     *
     * @throws UnsupportedSettingException if this store cannot apply one of them; it names that setting
     */
    default void checkSettings(TopicSettings settings) {}

    /** All topics, by name. */
    List<Topic> list();

    /**
     * Raises the number of partitions. Processes that have the topic open use the new number from their next batch on.
     * The order of records per key across the change is not promised.
     *
     * @throws TopicNotFoundException if there is no such topic
     */
    Topic addPartitions(TopicName name, int partitions);

    /**
     * Replaces the settings of a topic.
     *
     * @throws UnsupportedSettingException as {@link #checkSettings} throws it; nothing was changed
     */
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
     * The number of partitions as this process knows it. The number never falls. After a change by another process it
     * is known here at the latest when the listeners of {@link #onTopicsChange} are called. The call reads memory, and
     * is cheap enough to make before each batch.
     *
     * @throws TopicDeletedException if the topic was deleted
     */
    int partitions(TopicId topic);

    /**
     * A number that is raised with every change of a topic by any process: a topic is created, altered or deleted, or
     * gets more partitions. The raise may become known here a while after the change, and a process that makes a change
     * can die between the change and the raise. So a process that sees a raised number looks at the topics at once, and
     * once more a few seconds later. The call reads memory.
     */
    long topicsVersion();

    /**
     * Calls {@code wake} on a thread of the store at least once after {@link #topicsVersion} was raised. It may also be
     * called without need.
     */
    Registration onTopicsChange(Runnable wake);

    /**
     * Begins to append batches to several partitions in one call, at most one batch for each partition. Each batch has
     * an outcome of its own, as with {@link PartitionAppender#append}.
     *
     * @return the appends in the order of the requests
     */
    default List<PendingAppend> append(List<AppendRequest> requests) {
        return requests.stream()
                .map(request -> request.appender().append(request.batch()))
                .toList();
    }

    /** One batch of an {@link #append} call, with the appender of its partition. */
    record AppendRequest(PartitionAppender appender, EncodedBatch batch) {}

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

    /** A role that its user holds until the claim is closed, or lost with the connection to the store. */
    interface Claim extends AutoCloseable {
        /** True until the claim is closed or lost. After a loss another process may have the role. */
        boolean isHeld();

        /**
         * Calls {@code lost} once, on a thread of the store, when the claim is lost; at once if it is lost already. The
         * file store never loses a claim.
         */
        Registration onLost(Runnable lost);

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
