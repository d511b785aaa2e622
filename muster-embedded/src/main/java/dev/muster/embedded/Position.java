package dev.muster.embedded;

/**
 * Where an acknowledged record stands.
 *
 * @param timestamp milliseconds since 1970
 */
public record Position(String topic, int partition, long offset, long timestamp) {
    @Override
    public String toString() {
        return topic + "-" + partition + "@" + offset;
    }
}
