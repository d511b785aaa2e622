package dev.muster.engine.read;

import dev.muster.core.TopicName;
import java.util.List;

/**
 * The partitions of a topic that a reader reads.
 *
 * @param partitions the partitions; empty for all, including partitions that are added later
 */
public record ReadTarget(TopicName topic, List<Integer> partitions) {
    public ReadTarget {
        partitions = List.copyOf(partitions);
    }
}
