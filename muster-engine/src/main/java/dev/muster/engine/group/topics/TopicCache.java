package dev.muster.engine.group.topics;

import dev.muster.core.TopicName;
import dev.muster.core.group.model.TopicShape;
import dev.muster.store.LogStore;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A cache of topics and partition counts, valid until any topic changes: commits are too frequent to ask the store each
 * time. A result is never older than the call. Safe for many threads.
 */
public final class TopicCache {
    private final LogStore store;
    private volatile Known known = new Known(-1, new ConcurrentHashMap<>());

    /** @param shapes the existing topics only: the number of other names is unbounded */
    private record Known(long version, Map<TopicName, TopicShape> shapes) {}

    public TopicCache(LogStore store) {
        this.store = store;
    }

    public Optional<TopicShape> find(TopicName name) {
        // The version is read first, so the topics that are read after it are at least as new.
        long version = store.topicsVersion();
        Known now = known;
        if (now.version() != version) {
            now = new Known(version, new ConcurrentHashMap<>());
            known = now;
        }
        TopicShape shape = now.shapes().get(name);
        if (shape != null) {
            return Optional.of(shape);
        }
        Optional<TopicShape> found = store.find(name).map(GroupTopics::shape);
        if (found.isPresent()) {
            now.shapes().put(name, found.get());
        }
        return found;
    }

    /** The existing topics among these names. */
    public SortedMap<TopicName, TopicShape> of(Set<TopicName> names) {
        SortedMap<TopicName, TopicShape> there = new TreeMap<>();
        names.forEach(name -> find(name).ifPresent(shape -> there.put(name, shape)));
        return there;
    }
}
