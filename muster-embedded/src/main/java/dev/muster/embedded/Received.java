package dev.muster.embedded;

import dev.muster.core.TopicPartition;
import dev.muster.store.batch.Header;
import java.time.Instant;
import java.util.List;

/**
 * A record as a reader hands it out. Yours to keep.
 *
 * @param timestamp milliseconds since 1970; see {@link #time()}
 * @param key null: none
 * @param value null: a tombstone
 */
public record Received<K, V>(
        String topic, int partition, long offset, long timestamp, K key, V value, List<Header> headers) {

    public Instant time() {
        return Instant.ofEpochMilli(timestamp);
    }

    public TopicPartition topicPartition() {
        return TopicPartition.of(topic, partition);
    }
}
