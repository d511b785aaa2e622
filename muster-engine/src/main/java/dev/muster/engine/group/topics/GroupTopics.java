package dev.muster.engine.group.topics;

import dev.muster.core.Topic;
import dev.muster.core.TopicName;
import dev.muster.core.group.Group;
import dev.muster.core.group.model.Subscription;
import dev.muster.core.group.model.TopicPattern;
import dev.muster.core.group.model.TopicShape;
import dev.muster.store.LogStore;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** Finds the topics that members subscribe to, and their partitions. */
public final class GroupTopics {
    private final LogStore store;

    public GroupTopics(LogStore store) {
        this.store = store;
    }

    public SortedMap<TopicName, TopicShape> of(Subscription subscription) {
        return of(List.of(subscription));
    }

    /** As {@link #of(Subscription)}, including topics that the group knows and that are missing now. */
    public SortedMap<TopicName, TopicShape> of(Subscription subscription, Group group) {
        SortedMap<TopicName, TopicShape> there = of(subscription);
        keepUnseen(there, group);
        return there;
    }

    /**
     * Adds the topics that the group knows and the store does not find, unless they were deleted. Their files may be
     * missing only for a time.
     */
    private void keepUnseen(SortedMap<TopicName, TopicShape> there, Group group) {
        group.topics().forEach((name, shape) -> {
            if (!there.containsKey(name) && !store.isDeleted(shape.id())) {
                there.put(name, shape);
            }
        });
    }

    /**
     * The topics of all members. The subscriptions of classic members are known only in part, so all topics that the
     * group knows are included.
     */
    public SortedMap<TopicName, TopicShape> of(Group group) {
        SortedMap<TopicName, TopicShape> there = of(group.members().values().stream()
                .map(member -> member.spec().subscription())
                .distinct()
                .toList());
        if (group.classic().inUse()) {
            SortedSet<TopicName> names = new TreeSet<>(group.topics().keySet());
            group.classic()
                    .members()
                    .values()
                    .forEach(member -> member.spec().topics().ifPresent(topics -> names.addAll(topics)));
            there.putAll(of(names));
        }
        keepUnseen(there, group);
        return there;
    }

    /** The existing topics among these names. */
    public SortedMap<TopicName, TopicShape> of(Set<TopicName> names) {
        SortedMap<TopicName, TopicShape> there = new TreeMap<>();
        for (TopicName name : names) {
            store.find(name).ifPresent(topic -> there.put(name, shape(topic)));
        }
        return there;
    }

    private SortedMap<TopicName, TopicShape> of(Collection<Subscription> subscriptions) {
        SortedMap<TopicName, TopicShape> there = new TreeMap<>();
        List<TopicPattern> patterns = subscriptions.stream()
                .flatMap(subscription -> subscription.pattern().stream())
                .distinct()
                .map(TopicPattern::new)
                .toList();
        if (!patterns.isEmpty()) {
            for (Topic topic : store.list()) {
                if (patterns.stream().anyMatch(pattern -> pattern.matches(topic.name()))) {
                    there.put(topic.name(), shape(topic));
                }
            }
        }
        for (Subscription subscription : subscriptions) {
            for (TopicName name : subscription.topics()) {
                if (!there.containsKey(name)) {
                    store.find(name).ifPresent(topic -> there.put(name, shape(topic)));
                }
            }
        }
        return there;
    }

    public static TopicShape shape(Topic topic) {
        return new TopicShape(topic.id(), topic.partitions());
    }
}
