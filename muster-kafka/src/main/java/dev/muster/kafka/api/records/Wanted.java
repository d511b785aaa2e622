package dev.muster.kafka.api.records;

import org.apache.kafka.common.Uuid;

/** What a fetch asks of one partition. */
record Wanted(Key key, long offset, int bytesMax, int leaderEpoch) {
    /** Which partition: by name in older versions, by id in newer ones; the other is empty. */
    record Key(String topic, Uuid topicId, int partition) {}
}
