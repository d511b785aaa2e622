package dev.muster.embedded;

import dev.muster.core.Header;
import dev.muster.core.TopicPartition;
import java.time.Instant;
import java.util.List;

/**
 * A record as a reader or a consumer returns it. The application may keep it.
 *
 * @param timestampMillis timestamp in milliseconds since 1970; see {@link #timestamp()}
 * @param key key of the record; null if it has none
 * @param value value of the record; null for a tombstone
 */
public record Received<K, V>(
        String topic, int partition, long offset, long timestampMillis, K key, V value, List<Header> headers) {

    public Instant timestamp() {
        return Instant.ofEpochMilli(timestampMillis);
    }

    public TopicPartition topicPartition() {
        return TopicPartition.of(topic, partition);
    }
}
