package dev.muster.engine.read;

import dev.muster.core.TopicName;
import java.util.List;

/**
 * What a reader reads of a topic.
 *
 * @param partitions these and no others; empty: all, those added later too
 */
public record Subject(TopicName topic, List<Integer> partitions) {
    public Subject {
        partitions = List.copyOf(partitions);
    }
}
