package dev.muster.store.memory;

import dev.muster.core.Counts;
import dev.muster.core.MusterException;
import dev.muster.core.Topic;
import dev.muster.core.TopicId;
import dev.muster.core.TopicName;
import dev.muster.core.TopicSettings;
import dev.muster.core.group.model.HostId;
import dev.muster.store.LogStore;
import dev.muster.store.PartitionLog;
import dev.muster.store.StoreClosedException;
import dev.muster.store.TopicDeletedException;
import dev.muster.store.TopicExistsException;
import dev.muster.store.TopicNotFoundException;
import dev.muster.store.group.GroupStore;
import dev.muster.store.runtime.StoreRuntime;
import dev.muster.store.watch.Registration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Topics, logs and groups in the memory of this process. A written record cannot become any safer, so every sync level
 * is met at once. Several stores can share one memory as several processes share one directory ({@link #anotherHost}).
 * Closing the last of them drops the content.
 */
public final class MemoryStore implements LogStore {
    private final Memory memory;
    private final MemoryHost host;
    private final MemoryGroups groups;
    private volatile boolean closed;

    public MemoryStore() {
        this(StoreRuntime.system());
    }

    /** @param runtime the clock and the random ids of the store */
    public MemoryStore(StoreRuntime runtime) {
        this(new Memory(runtime));
    }

    @SuppressWarnings("this-escape") // only this package sees the store before it is complete
    private MemoryStore(Memory memory) {
        this.memory = memory;
        this.host = new MemoryHost(new HostId("memory-" + memory.runtime.newId()));
        this.groups = new MemoryGroups(this, memory, host);
        memory.opened(this);
    }

    /** A store on the same memory. Groups treat it as another process. */
    public MemoryStore anotherHost() {
        checkOpen();
        return new MemoryStore(memory);
    }

    /**
     * Simulates the death of this store's process: the other hosts see its host gone, and its groups cannot be used any
     * more. Logs that were opened through it stay usable, because they are shared.
     */
    public void kill() {
        close();
    }

    @Override
    public Topic create(TopicName name, int partitions, TopicSettings settings) {
        checkPartitions(partitions);
        memory.changes.lock();
        try {
            checkOpen();
            if (memory.topics.containsKey(name)) {
                throw new TopicExistsException(name.value());
            }
            MemoryTopic topic = new MemoryTopic(
                    memory,
                    new Topic(
                            name,
                            new TopicId(memory.runtime.newId()),
                            partitions,
                            settings,
                            memory.runtime.clock().instant()));
            memory.topicsById.put(topic.description().id(), topic);
            memory.topics.put(name, topic);
            memory.topicsChanged();
            return topic.description();
        } finally {
            memory.changes.unlock();
        }
    }

    @Override
    public Optional<Topic> find(TopicName name) {
        checkOpen();
        return Optional.ofNullable(memory.topics.get(name)).map(MemoryTopic::description);
    }

    @Override
    public List<Topic> list() {
        checkOpen();
        return memory.topics.values().stream().map(MemoryTopic::description).toList();
    }

    @Override
    public Topic addPartitions(TopicName name, int partitions) {
        checkPartitions(partitions);
        memory.changes.lock();
        try {
            MemoryTopic topic = existing(name);
            int present = topic.description().partitions();
            if (partitions < present) {
                throw new MusterException(
                        "topic \"" + name + "\" has " + Counts.of(present, "partition") + ", the number cannot become "
                                + partitions,
                        "partitions can be added, not taken away");
            }
            Topic grown = topic.grow(partitions);
            memory.topicsChanged();
            return grown;
        } finally {
            memory.changes.unlock();
        }
    }

    @Override
    public Topic alter(TopicName name, TopicSettings settings) {
        memory.changes.lock();
        try {
            Topic altered = existing(name).alter(settings);
            memory.topicsChanged();
            return altered;
        } finally {
            memory.changes.unlock();
        }
    }

    @Override
    public void delete(TopicName name) {
        memory.changes.lock();
        try {
            MemoryTopic topic = existing(name);
            memory.topics.remove(name);
            memory.topicsById.remove(topic.description().id());
            memory.deletedTopics.add(topic.description().id());
            topic.delete();
            memory.topicsChanged();
        } finally {
            memory.changes.unlock();
        }
    }

    @Override
    public boolean isDeleted(TopicId topic) {
        checkOpen();
        return memory.deletedTopics.contains(topic);
    }

    @Override
    public PartitionLog log(TopicId id, int partition) {
        checkOpen();
        MemoryTopic topic = memory.topicsById.get(id);
        if (topic == null) {
            throw new TopicNotFoundException("topic with id " + id);
        }
        return topic.log(partition);
    }

    @Override
    public int partitions(TopicId id) {
        checkOpen();
        MemoryTopic topic = memory.topicsById.get(id);
        if (topic == null) {
            throw new TopicDeletedException(id.toString());
        }
        return topic.description().partitions();
    }

    @Override
    public long newProducerId() {
        checkOpen();
        return memory.producerIds.getAndIncrement();
    }

    @Override
    public boolean readOnly() {
        return false;
    }

    @Override
    public UUID id() {
        return memory.id;
    }

    @Override
    public Optional<Claim> claim(String role) {
        checkOpen();
        return memory.roles.add(role) ? Optional.of(new MemoryClaim(memory, role)) : Optional.empty();
    }

    @Override
    public long topicsVersion() {
        checkOpen();
        return memory.topicsVersion.get();
    }

    @Override
    public Registration onTopicsChange(Runnable wake) {
        return memory.topicsListeners.add(wake);
    }

    @Override
    public GroupStore groups() {
        checkOpen();
        return groups;
    }

    @Override
    public void close() {
        memory.changes.lock();
        try {
            if (!closed) {
                closed = true;
                memory.closed(this);
            }
        } finally {
            memory.changes.unlock();
        }
    }

    MemoryHost host() {
        return host;
    }

    void checkOpen() {
        if (closed) {
            throw new StoreClosedException("the store in memory");
        }
    }

    private MemoryTopic existing(TopicName name) {
        checkOpen();
        MemoryTopic topic = memory.topics.get(name);
        if (topic == null) {
            throw new TopicNotFoundException("topic \"" + name + "\"");
        }
        return topic;
    }

    private static void checkPartitions(int partitions) {
        if (partitions < 1 || partitions > PARTITIONS_MAX) {
            throw new MusterException("a topic has 1 to " + PARTITIONS_MAX + " partitions, not " + partitions);
        }
    }
}
