package dev.muster.core.group.model;

import dev.muster.core.TopicId;

/**
 * The properties of a topic that matter to a group. A topic with another id under the same name is another topic: old
 * commits are void for it.
 */
public record TopicShape(TopicId id, int partitions) {}
