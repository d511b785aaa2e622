package dev.muster.engine.group.member;

import dev.muster.core.TopicPartition;
import dev.muster.core.group.Group;
import dev.muster.core.group.model.Ownership;
import dev.muster.core.group.model.TopicShape;

/** One ownership of a partition. Another topic id or another generation makes it a different ownership. */
record Holding(TopicShape topic, long since) {
    /** The ownership of a partition in a state; null if it has no owner or its topic is not known. */
    static Holding of(Group group, TopicPartition partition) {
        Ownership owner = group.owners().get(partition);
        TopicShape topic = group.topics().get(partition.topic());
        // The number of partitions is left out: added partitions do not make another topic.
        return owner == null || topic == null ? null : new Holding(new TopicShape(topic.id(), 0), owner.since());
    }
}
