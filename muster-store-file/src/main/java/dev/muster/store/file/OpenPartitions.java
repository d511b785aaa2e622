package dev.muster.store.file;

import dev.muster.core.Topic;
import dev.muster.core.TopicId;
import dev.muster.store.TopicDeletedException;
import dev.muster.store.TopicNotFoundException;
import dev.muster.store.file.layout.Layout;
import dev.muster.store.file.log.FilePartition;
import dev.muster.store.file.log.LogEnvironment;
import dev.muster.store.file.log.RetentionSchedule;
import dev.muster.store.file.log.segment.PartitionKey;
import dev.muster.store.file.topic.TopicHandle;
import dev.muster.store.file.topic.TopicHandles;
import java.io.IOException;
import java.util.Collection;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;

/**
 * The partitions of topics that this process has open. Each is opened once, however many threads open it at the same
 * time. Safe for many threads.
 */
final class OpenPartitions {
    private final Layout layout;
    private final LogEnvironment env;
    private final TopicHandles topics;
    private final DirectoryIdentity directory;
    private final Map<PartitionKey, FilePartition> open = new ConcurrentHashMap<>();

    /**
     * Locks for opening. Opening a partition waits for the disk and for other processes, and a monitor must not be held
     * meanwhile.
     */
    private final ReentrantLock[] opening =
            Stream.generate(ReentrantLock::new).limit(64).toArray(ReentrantLock[]::new);

    OpenPartitions(Layout layout, LogEnvironment env, TopicHandles topics, DirectoryIdentity directory) {
        this.layout = layout;
        this.env = env;
        this.topics = topics;
        this.directory = directory;
    }

    PartitionKey key(TopicId topic, int partition) {
        return new PartitionKey(topic, partition, layout.partition(topic, partition));
    }

    /**
     * The open partition; this call opens it if it is not open.
     *
     * @throws TopicNotFoundException if there is no such topic or partition
     */
    FilePartition get(TopicId topic, int partition) {
        PartitionKey key = key(topic, partition);
        FilePartition known = open.get(key);
        if (known != null && !known.isDeleted()) {
            if (!known.hasLostFiles()) {
                return known;
            }
            closeReplaced(key, known);
        }
        TopicHandle handle = StoreAccess.io("open topic " + topic, () -> topics.get(topic));
        boolean exists;
        try {
            exists = partition >= 0 && (partition < handle.partitions() || partition < topics.partitionsInFile(handle));
        } catch (TopicDeletedException e) {
            throw new TopicNotFoundException("topic with id " + topic + " (it was deleted)");
        }
        if (!exists) {
            throw new TopicNotFoundException(
                    "partition " + partition + " of topic \"" + handle.topic().name() + "\"");
        }
        return open(key, handle);
    }

    /** The next caller opens what is in the directory then, if it is still the directory of this store. */
    private void closeReplaced(PartitionKey key, FilePartition replaced) {
        directory.checkSameStore();
        StoreAccess.io("read " + layout.root(), () -> {
            directory.checkReplaced();
            return null;
        });
        topics.forget(key.topic());
        close(key, replaced);
    }

    private FilePartition open(PartitionKey key, TopicHandle handle) {
        ReentrantLock lock = opening[Math.floorMod(key.hashCode(), opening.length)];
        lock.lock();
        try {
            FilePartition known = open.get(key);
            if (known != null) {
                return known;
            }
            FilePartition opened = FilePartition.open(key, handle, env);
            open.put(key, opened);
            return opened;
        } finally {
            lock.unlock();
        }
    }

    Collection<FilePartition> all() {
        return open.values();
    }

    /** Applies retention to a partition. A partition that this process does not use is closed again. */
    RetentionSchedule retain(Topic topic, int partition, OptionalLong now) throws IOException {
        PartitionKey key = key(topic.id(), partition);
        FilePartition known = open.get(key);
        if (known != null && !known.hasLostFiles()) {
            return known.retain(now);
        }
        try (FilePartition own = FilePartition.open(key, topics.get(topic), env)) {
            return own.retain(now);
        }
    }

    private void close(PartitionKey key, FilePartition partition) {
        if (open.remove(key, partition)) {
            partition.close();
        }
    }

    void closeAll(TopicId topic) {
        open.forEach((key, partition) -> {
            if (key.topic().equals(topic)) {
                close(key, partition);
            }
        });
    }

    /** Closes the partitions of topics that any process has deleted. */
    void closeDeleted() {
        all().stream()
                .filter(FilePartition::isDeleted)
                .map(FilePartition::topicId)
                .distinct()
                .forEach(this::closeAll);
    }
}
