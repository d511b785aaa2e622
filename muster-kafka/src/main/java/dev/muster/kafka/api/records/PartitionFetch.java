package dev.muster.kafka.api.records;

import org.apache.kafka.common.Uuid;

/** The request of a fetch about one partition. */
record PartitionFetch(Key key, long offset, int bytesMax, int leaderEpoch) {
    /** A partition: by name in older versions, by id in newer ones; the other is empty. */
    record Key(String topic, Uuid topicId, int partition) {}
}
