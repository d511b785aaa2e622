package dev.muster.store.memory;

import dev.muster.core.MusterException;
import dev.muster.core.TopicId;
import dev.muster.core.TopicName;
import dev.muster.core.TopicSettings;
import dev.muster.store.LogStore;
import dev.muster.store.PartitionLog;
import dev.muster.store.StoreClosedException;
import dev.muster.store.Topic;
import dev.muster.store.TopicDeletedException;
import dev.muster.store.TopicExistsException;
import dev.muster.store.TopicNotFoundException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Topics and logs in the memory of this process. What is written is as safe as it will ever be, so every sync level is
 * met at once. Closing it forgets everything.
 */
public final class MemoryStore implements LogStore {
    /** Held by whoever changes the two maps, so that both tell the same; reading them takes no lock. */
    private final ReentrantLock changes = new ReentrantLock();

    private final ConcurrentSkipListMap<TopicName, MemoryTopic> byName = new ConcurrentSkipListMap<>();
    private final Map<TopicId, MemoryTopic> byId = new ConcurrentHashMap<>();
    private final AtomicLong producerIds = new AtomicLong();
    private volatile boolean closed;

    @Override
    public Topic create(TopicName name, int partitions, TopicSettings settings) {
        checkPartitions(partitions);
        changes.lock();
        try {
            checkOpen();
            if (byName.containsKey(name)) {
                throw new TopicExistsException(name.value());
            }
            MemoryTopic topic = new MemoryTopic(
                    this, new Topic(name, new TopicId(UUID.randomUUID()), partitions, settings, Instant.now()));
            byId.put(topic.description().id(), topic);
            byName.put(name, topic);
            return topic.description();
        } finally {
            changes.unlock();
        }
    }

    @Override
    public Optional<Topic> find(TopicName name) {
        checkOpen();
        return Optional.ofNullable(byName.get(name)).map(MemoryTopic::description);
    }

    @Override
    public List<Topic> list() {
        checkOpen();
        return byName.values().stream().map(MemoryTopic::description).toList();
    }

    @Override
    public Topic addPartitions(TopicName name, int partitions) {
        checkPartitions(partitions);
        changes.lock();
        try {
            MemoryTopic topic = existing(name);
            int present = topic.description().partitions();
            if (partitions < present) {
                throw new MusterException(
                        "topic \"" + name + "\" has " + present + " partitions, they cannot become " + partitions,
                        "partitions can be added, not taken away");
            }
            return topic.grow(partitions);
        } finally {
            changes.unlock();
        }
    }

    @Override
    public Topic alter(TopicName name, TopicSettings settings) {
        changes.lock();
        try {
            return existing(name).alter(settings);
        } finally {
            changes.unlock();
        }
    }

    @Override
    public void delete(TopicName name) {
        changes.lock();
        try {
            MemoryTopic topic = existing(name);
            byName.remove(name);
            byId.remove(topic.description().id());
            topic.delete();
        } finally {
            changes.unlock();
        }
    }

    @Override
    public PartitionLog log(TopicId id, int partition) {
        checkOpen();
        MemoryTopic topic = byId.get(id);
        if (topic == null) {
            throw new TopicNotFoundException("topic with id " + id);
        }
        return topic.log(partition);
    }

    @Override
    public int partitions(TopicId id) {
        checkOpen();
        MemoryTopic topic = byId.get(id);
        if (topic == null) {
            throw new TopicDeletedException(id.toString());
        }
        return topic.description().partitions();
    }

    @Override
    public long newProducerId() {
        checkOpen();
        return producerIds.getAndIncrement();
    }

    @Override
    public boolean readOnly() {
        return false;
    }

    @Override
    public void close() {
        changes.lock();
        try {
            closed = true;
            byId.values().forEach(MemoryTopic::wake);
            byId.clear();
            byName.clear();
        } finally {
            changes.unlock();
        }
    }

    void checkOpen() {
        if (closed) {
            throw new StoreClosedException("the store in memory");
        }
    }

    private MemoryTopic existing(TopicName name) {
        checkOpen();
        MemoryTopic topic = byName.get(name);
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
