package dev.muster.core.group.classic;

import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The metadata that a consumer sends to the leader, if the server could read it.
 *
 * @param topics topics that the consumer subscribes to
 * @param owned partitions that it had in hand when it sent the metadata; it had released all others
 */
public record ConsumerMetadata(SortedSet<TopicName> topics, SortedSet<TopicPartition> owned) {
    public ConsumerMetadata {
        topics = Collections.unmodifiableSortedSet(new TreeSet<>(topics));
        owned = Collections.unmodifiableSortedSet(new TreeSet<>(owned));
    }
}
