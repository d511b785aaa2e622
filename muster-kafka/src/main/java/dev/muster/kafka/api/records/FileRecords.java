package dev.muster.kafka.api.records;

import dev.muster.store.read.BatchRegion;
import org.apache.kafka.common.record.internal.BaseRecords;
import org.apache.kafka.common.record.internal.RecordsSend;

/**
 * Records of a response that stay in their file until they are sent.
 *
 * @param source open until the response was sent
 */
public record FileRecords(BatchRegion.Source source, int sizeInBytes) implements BaseRecords {
    @Override
    public RecordsSend<? extends BaseRecords> toSend() {
        throw new UnsupportedOperationException("a connection sends them itself");
    }
}
