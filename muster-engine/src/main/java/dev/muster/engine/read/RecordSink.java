package dev.muster.engine.read;

import dev.muster.core.TopicPartition;
import dev.muster.store.batch.BatchDecoder;

/** Takes records, one by one. When it throws, the record counts as not handed out. */
@FunctionalInterface
public interface RecordSink {
    /** @param record a decoder at the record; of no use after this call */
    void accept(TopicPartition from, BatchDecoder record);
}
