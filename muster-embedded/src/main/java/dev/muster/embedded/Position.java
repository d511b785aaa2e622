package dev.muster.embedded;

import java.time.Instant;

/**
 * The place of an acknowledged record.
 *
 * @param timestampMillis timestamp in milliseconds since 1970; see {@link #timestamp()}
 */
public record Position(String topic, int partition, long offset, long timestampMillis) {
    public Instant timestamp() {
        return Instant.ofEpochMilli(timestampMillis);
    }

    @Override
    public String toString() {
        return topic + "-" + partition + "@" + offset;
    }
}
