package dev.muster.kafka;

import dev.muster.core.InvalidNameException;
import dev.muster.core.TopicId;
import dev.muster.core.TopicName;
import dev.muster.store.LogStore;
import dev.muster.store.PartitionLog;
import dev.muster.store.Topic;
import dev.muster.store.TopicDeletedException;
import dev.muster.store.TopicExistsException;
import dev.muster.store.TopicNotFoundException;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.common.Uuid;

/**
 * Finds topics by name or id without asking the store each time. What it remembers may be old: whoever finds that a
 * topic is gone looks again, because any process may have deleted it and made it anew.
 */
public final class TopicDirectory {
    private final LogStore store;
    private final ServerConfig config;
    private final Map<String, Topic> byName = new ConcurrentHashMap<>();
    private final Map<Uuid, Topic> byId = new ConcurrentHashMap<>();

    TopicDirectory(LogStore store, ServerConfig config) {
        this.store = store;
        this.config = config;
    }

    public static Uuid wireId(Topic topic) {
        UUID id = topic.id().value();
        return new Uuid(id.getMostSignificantBits(), id.getLeastSignificantBits());
    }

    /** The topic as it is now. */
    public Optional<Topic> find(String name) {
        TopicName known;
        try {
            known = new TopicName(name);
        } catch (InvalidNameException e) {
            return Optional.empty();
        }
        Optional<Topic> found = store.find(known);
        found.ifPresentOrElse(this::remember, () -> byName.remove(name));
        return found;
    }

    public Optional<Topic> find(Uuid id) {
        Topic known = byId.get(id);
        if (known != null) {
            Optional<Topic> now = find(known.name().value());
            if (now.isPresent() && now.get().id().equals(known.id())) {
                return now;
            }
            byId.remove(id);
            return Optional.empty();
        }
        TopicId wanted = new TopicId(new UUID(id.getMostSignificantBits(), id.getLeastSignificantBits()));
        Optional<Topic> found =
                store.list().stream().filter(t -> t.id().equals(wanted)).findAny();
        found.ifPresent(this::remember);
        return found;
    }

    /** The topic, made with the server's defaults when it is not there. */
    public Topic ensure(String name) {
        return find(name).orElseGet(() -> {
            try {
                return store.create(new TopicName(name), config.partitions(), config.topicDefaults());
            } catch (TopicExistsException e) {
                // Somebody was faster.
                return find(name).orElseThrow(() -> e);
            }
        });
    }

    /** The log of a partition. Throws {@link TopicNotFoundException}. */
    public PartitionLog log(String name, int partition) {
        Topic topic = byName.get(name);
        if (topic != null) {
            try {
                return store.log(topic.id(), partition);
            } catch (TopicNotFoundException | TopicDeletedException e) {
                // Deleted, or it got partitions: look again.
                byName.remove(name, topic);
            }
        }
        Topic found = find(name).orElseThrow(() -> new TopicNotFoundException("topic \"" + name + "\""));
        return store.log(found.id(), partition);
    }

    /** Throws {@link TopicNotFoundException}. */
    public PartitionLog log(Uuid id, int partition) {
        Topic topic = byId.get(id);
        if (topic == null) {
            topic = find(id).orElseThrow(() -> new TopicNotFoundException("topic with id " + id));
        }
        return store.log(topic.id(), partition);
    }

    /** -1 when the partition is gone. */
    public int leaderEpoch(Topic topic, int partition) {
        try {
            return store.log(topic.id(), partition).leaderEpoch();
        } catch (TopicNotFoundException | TopicDeletedException e) {
            return -1;
        }
    }

    private void remember(Topic topic) {
        byName.put(topic.name().value(), topic);
        byId.put(wireId(topic), topic);
    }
}
