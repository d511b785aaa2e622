package dev.muster.embedded.admin;

import dev.muster.core.SyncLevel;
import dev.muster.core.TopicSettings;
import java.time.Duration;

/** The number of partitions and the settings of a topic that {@link Topics#ensure} creates. */
public record TopicSpec(int partitions, TopicSettings settings) {
    public static final TopicSpec DEFAULT = new TopicSpec(1, TopicSettings.DEFAULT);

    public TopicSpec partitions(int count) {
        return new TopicSpec(count, settings);
    }

    /** The sync level: how safe a record is when it is acknowledged. */
    public TopicSpec sync(SyncLevel level) {
        return new TopicSpec(partitions, settings.withSync(level));
    }

    /** The time for which records are kept; zero keeps them for ever. */
    public TopicSpec retention(Duration time) {
        return set("retention.ms", Long.toString(time.isZero() ? TopicSettings.UNLIMITED : time.toMillis()));
    }

    /** Any setting by its key, as Kafka spells it. */
    public TopicSpec set(String key, String value) {
        return new TopicSpec(partitions, settings.with(key, value));
    }
}
