package dev.muster.embedded;

import dev.muster.core.TopicPartition;
import java.util.SortedSet;

/** What a member owns at one moment. {@code member} is empty while it is in no group. */
public record GroupAssignment(String member, long generation, SortedSet<TopicPartition> partitions) {}
