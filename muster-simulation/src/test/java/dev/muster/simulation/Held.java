package dev.muster.simulation;

import dev.muster.core.TopicId;
import dev.muster.core.TopicPartition;

/** A partition of a wire client, with the id of its topic: a topic that was created again is another one. */
record Held(TopicId topic, TopicPartition partition) implements Comparable<Held> {
    /** The name in the books. */
    String name() {
        return partition.topic() + ":" + partition.partition();
    }

    /** The name in the shelves of records. */
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
