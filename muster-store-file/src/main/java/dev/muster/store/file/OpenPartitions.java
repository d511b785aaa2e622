package dev.muster.store.file;

import dev.muster.core.TopicId;
import dev.muster.store.file.log.FilePartition;
import dev.muster.store.file.log.segment.PartitionKey;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The partitions of topics that this process has open. Each is opened once, however many threads open it at the same
 * time. Safe for many threads.
 */
final class OpenPartitions {
    private final Map<PartitionKey, FilePartition> open = new ConcurrentHashMap<>();

    /**
     * Locks for opening. Opening a partition waits for the disk and for other processes, and a monitor must not be held
     * meanwhile.
     */
    private final ReentrantLock[] opening =
            Stream.generate(ReentrantLock::new).limit(64).toArray(ReentrantLock[]::new);

    /** The open partition; null if there is none. */
    FilePartition find(PartitionKey key) {
        return open.get(key);
    }

    /** The open partition; this call opens it if there is none. */
    FilePartition open(PartitionKey key, Function<PartitionKey, FilePartition> opener) {
        ReentrantLock lock = opening[Math.floorMod(key.hashCode(), opening.length)];
        lock.lock();
        try {
            FilePartition known = open.get(key);
            if (known != null) {
                return known;
            }
            FilePartition opened = opener.apply(key);
            open.put(key, opened);
            return opened;
        } finally {
            lock.unlock();
        }
    }

    Collection<FilePartition> all() {
        return open.values();
    }

    /** Closes this partition. The next call of {@link #open} opens what is in the directory then. */
    void close(PartitionKey key, FilePartition partition) {
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
}
