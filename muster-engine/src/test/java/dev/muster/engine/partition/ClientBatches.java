package dev.muster.engine.partition;

import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;

/** Batches as Kafka's own clients make them. */
final class ClientBatches {
    private ClientBatches() {}

    static MemoryRecords of(String... values) {
        return MemoryRecords.withRecords(Compression.NONE, records(values));
    }

    static MemoryRecords ofProducer(long producerId, int epoch, int sequence, String... values) {
        return MemoryRecords.withIdempotentRecords(
                Compression.NONE, producerId, (short) epoch, sequence, records(values));
    }

    static SimpleRecord[] records(String... values) {
        SimpleRecord[] records = new SimpleRecord[values.length];
        for (int i = 0; i < values.length; i++) {
            records[i] = new SimpleRecord(1_000L + i, null, values[i].getBytes(StandardCharsets.UTF_8));
        }
        return records;
    }
}
