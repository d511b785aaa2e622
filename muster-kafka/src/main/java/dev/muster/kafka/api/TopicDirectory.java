package dev.muster.kafka.api;

import dev.muster.core.InvalidNameException;
import dev.muster.core.Topic;
import dev.muster.core.TopicName;
import dev.muster.kafka.config.ServerConfig;
import dev.muster.store.LogStore;
import dev.muster.store.PartitionLog;
import dev.muster.store.TopicDeletedException;
import dev.muster.store.TopicExistsException;
import dev.muster.store.TopicNotFoundException;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.apache.kafka.common.Uuid;

/**
 * Finds topics by name or id without asking the store each time. Its entries may be old: any process may have deleted a
 * topic and created it again. So a caller whose topic turns out to be deleted looks it up again. A log whose files were
 * replaced is replaced by the log that the store has then.
 */
public final class TopicDirectory {
    private final LogStore store;
    private final ServerConfig config;
    private final Map<String, Known> byName = new ConcurrentHashMap<>();
    private final Map<Uuid, Known> byId = new ConcurrentHashMap<>();

    /**
     * A topic, and those of its logs that were asked for.
     *
     * @param logs one element per partition, null until it was asked for
     */
    private record Known(Topic topic, AtomicReferenceArray<PartitionLog> logs) {}

    public TopicDirectory(LogStore store, ServerConfig config) {
        this.store = store;
        this.config = config;
    }

    public static Uuid wireId(Topic topic) {
        UUID id = topic.id().value();
        return new Uuid(id.getMostSignificantBits(), id.getLeastSignificantBits());
    }

    /** The topic as it is now. */
    public Optional<Topic> find(String name) {
        return look(name).map(Known::topic);
    }

    public Optional<Topic> find(Uuid id) {
        return look(id).map(Known::topic);
    }

    /** The topic; created with the server's defaults if it does not exist. */
    public Topic ensure(String name) {
        return find(name).orElseGet(() -> {
            try {
                return store.create(new TopicName(name), config.partitions(), config.topicDefaults());
            } catch (TopicExistsException e) {
                // Another process created it in between.
                return find(name).orElseThrow(() -> e);
            }
        });
    }

    /**
     * The log of a partition.
     *
     * @throws TopicNotFoundException if the topic or the partition does not exist
     */
    public PartitionLog log(String name, int partition) {
        Known known = byName.get(name);
        PartitionLog log = known == null ? null : log(known, partition);
        if (log != null) {
            return log;
        }
        known = look(name).orElseThrow(() -> new TopicNotFoundException("topic \"" + name + "\""));
        return store.log(known.topic().id(), partition);
    }

    /**
     * The log of a partition.
     *
     * @throws TopicNotFoundException if the topic or the partition does not exist
     */
    public PartitionLog log(Uuid id, int partition) {
        Known known = byId.get(id);
        PartitionLog log = known == null ? null : log(known, partition);
        if (log != null) {
            return log;
        }
        known = look(id).orElseThrow(() -> new TopicNotFoundException("topic with id " + id));
        return store.log(known.topic().id(), partition);
    }

    /** The leader epoch of a partition, or -1 if the partition is gone. */
    public int leaderEpoch(Topic topic, int partition) {
        try {
            return store.log(topic.id(), partition).leaderEpoch();
        } catch (TopicNotFoundException | TopicDeletedException e) {
            return -1;
        }
    }

    /** The log of a partition; null if the topic was deleted, or got partitions since. */
    private PartitionLog log(Known known, int partition) {
        try {
            store.partitions(known.topic().id());
            if (partition < 0 || partition >= known.logs().length()) {
                return null;
            }
            PartitionLog log = known.logs().get(partition);
            if (log == null || log.isReplaced()) {
                log = store.log(known.topic().id(), partition);
                known.logs().set(partition, log);
            }
            return log;
        } catch (TopicNotFoundException | TopicDeletedException e) {
            forget(known);
            return null;
        }
    }

    private Optional<Known> look(String name) {
        TopicName checked;
        try {
            checked = new TopicName(name);
        } catch (InvalidNameException e) {
            return Optional.empty();
        }
        Optional<Known> found = store.find(checked).map(this::remember);
        if (found.isEmpty()) {
            Known old = byName.remove(name);
            if (old != null) {
                byId.remove(wireId(old.topic()), old);
            }
        }
        return found;
    }

    private Optional<Known> look(Uuid id) {
        Known known = byId.get(id);
        if (known != null) {
            return look(known.topic().name().value())
                    .filter(now -> now.topic().id().equals(known.topic().id()));
        }
        // All topics: a client that asks for one by its id will ask for others.
        store.list().forEach(this::remember);
        return Optional.ofNullable(byId.get(id));
    }

    private Known remember(Topic topic) {
        String name = topic.name().value();
        Known old = byName.get(name);
        if (old != null && old.topic().equals(topic)) {
            return old;
        }
        if (old != null) {
            forget(old);
        }
        Known known = new Known(topic, new AtomicReferenceArray<>(topic.partitions()));
        byName.put(name, known);
        byId.put(wireId(topic), known);
        return known;
    }

    private void forget(Known known) {
        byName.remove(known.topic().name().value(), known);
        byId.remove(wireId(known.topic()), known);
    }
}
