package dev.muster.simulation;

import dev.muster.core.TopicId;
import dev.muster.core.TopicPartition;

/** A partition as a wire client knows it: of a topic with an id, so that one made anew is another. */
record Held(TopicId topic, TopicPartition partition) implements Comparable<Held> {
    /** As the books name it. */
    String name() {
        return partition.topic() + ":" + partition.partition();
    }

    /** As the shelves of records name it. */
    String place() {
        return topic + ":" + partition.partition();
    }

    @Override
    public int compareTo(Held other) {
        int byName = partition.compareTo(other.partition);
        return byName != 0 ? byName : topic.toString().compareTo(other.topic.toString());
    }

    @Override
    public String toString() {
        return name();
    }
}
