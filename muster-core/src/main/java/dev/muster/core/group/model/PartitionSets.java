package dev.muster.core.group.model;

import dev.muster.core.TopicPartition;
import java.util.Collection;
import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Predicate;

/** Operations on immutable sets of partitions, ordered by topic and number. */
public final class PartitionSets {
    public static final SortedSet<TopicPartition> NONE = Collections.unmodifiableSortedSet(new TreeSet<>());

    private PartitionSets() {}

    public static SortedSet<TopicPartition> copyOf(Collection<TopicPartition> partitions) {
        return partitions.isEmpty() ? NONE : Collections.unmodifiableSortedSet(new TreeSet<>(partitions));
    }

    public static SortedSet<TopicPartition> plus(SortedSet<TopicPartition> some, Collection<TopicPartition> more) {
        SortedSet<TopicPartition> all = new TreeSet<>(some);
        all.addAll(more);
        return Collections.unmodifiableSortedSet(all);
    }

    public static SortedSet<TopicPartition> minus(SortedSet<TopicPartition> all, Collection<TopicPartition> some) {
        return filter(all, partition -> !some.contains(partition));
    }

    public static SortedSet<TopicPartition> filter(Collection<TopicPartition> all, Predicate<TopicPartition> keep) {
        SortedSet<TopicPartition> kept = new TreeSet<>();
        for (TopicPartition partition : all) {
            if (keep.test(partition)) {
                kept.add(partition);
            }
        }
        return kept.isEmpty() ? NONE : Collections.unmodifiableSortedSet(kept);
    }
}
