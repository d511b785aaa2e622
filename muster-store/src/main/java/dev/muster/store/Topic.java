package dev.muster.store;

import dev.muster.core.TopicId;
import dev.muster.core.TopicName;
import dev.muster.core.TopicSettings;
import java.time.Instant;

/** The description of a topic at one moment. */
public record Topic(TopicName name, TopicId id, int partitions, TopicSettings settings, Instant createdAt) {}
