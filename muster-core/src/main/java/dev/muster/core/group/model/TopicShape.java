package dev.muster.core.group.model;

import dev.muster.core.TopicId;

/**
 * What a group needs to know of a topic. Another id under the same name is another topic: old commits mean nothing
 * there.
 */
public record TopicShape(TopicId id, int partitions) {}
