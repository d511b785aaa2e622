package dev.muster.engine.read;

import dev.muster.core.TopicPartition;
import dev.muster.store.batch.BatchDecoder;

/** Takes records, one by one. A record whose call throws counts as not handed out. */
@FunctionalInterface
public interface RecordSink {
    /** @param record a decoder positioned at the record, valid during this call only */
    void accept(TopicPartition from, BatchDecoder record);
}
