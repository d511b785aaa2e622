package dev.muster.store;

import dev.muster.core.MusterException;

/** A topic of that name exists already. */
public final class TopicExistsException extends MusterException {
    public TopicExistsException(String topic) {
        super("topic \"" + topic + "\" exists already", "choose another name, or delete it first");
    }

    /** The topic exists, and has fewer partitions than it must have. */
    public TopicExistsException(String topic, int partitions, int wanted) {
        super(
                "topic \"" + topic + "\" exists with " + partitions
                        + (partitions == 1 ? " partition, " : " partitions, ") + wanted + " are wanted",
                "raise the number: topics().addPartitions(\"" + topic + "\", " + wanted + "); a key may then change its"
                        + " partition");
    }
}
