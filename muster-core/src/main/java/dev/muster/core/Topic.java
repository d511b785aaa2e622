package dev.muster.core;

import java.time.Instant;

/** The description of a topic at one moment. */
public record Topic(TopicName name, TopicId id, int partitions, TopicSettings settings, Instant createdAt) {}
