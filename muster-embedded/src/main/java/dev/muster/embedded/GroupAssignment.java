package dev.muster.embedded;

import dev.muster.core.TopicPartition;
import java.util.SortedSet;

/**
 * The partitions that a member owns at one moment.
 *
 * @param member id of the member; empty while it is not in the group
 */
public record GroupAssignment(String member, long generation, SortedSet<TopicPartition> partitions) {}
