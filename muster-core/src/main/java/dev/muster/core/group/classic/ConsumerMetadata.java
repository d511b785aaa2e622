package dev.muster.core.group.classic;

import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * What a consumer tells the leader, where whoever serves it could read that.
 *
 * @param topics what it subscribes to
 * @param owned what it had in hand when it said so: everything else it had let go of
 */
public record ConsumerMetadata(SortedSet<TopicName> topics, SortedSet<TopicPartition> owned) {
    public ConsumerMetadata {
        topics = Collections.unmodifiableSortedSet(new TreeSet<>(topics));
        owned = Collections.unmodifiableSortedSet(new TreeSet<>(owned));
    }
}
