package dev.muster.engine.read;

import dev.muster.core.TopicName;
import java.util.List;

/**
 * What a reader reads of a topic.
 *
 * @param partitions these and no others; empty: all, those added later too
 */
public record ReadTarget(TopicName topic, List<Integer> partitions) {
    public ReadTarget {
        partitions = List.copyOf(partitions);
    }
}
