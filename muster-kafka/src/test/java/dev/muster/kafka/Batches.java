package dev.muster.kafka;

import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;

/** Batches as clients make them, and requests with them. */
public final class Batches {
    private Batches() {}

    public static MemoryRecords of(String... values) {
        return MemoryRecords.withRecords(Compression.NONE, records(values));
    }

    public static MemoryRecords ofProducer(long producerId, int epoch, int sequence, String... values) {
        return MemoryRecords.withIdempotentRecords(
                Compression.NONE, producerId, (short) epoch, sequence, records(values));
    }

    public static SimpleRecord[] records(String... values) {
        SimpleRecord[] records = new SimpleRecord[values.length];
        for (int i = 0; i < values.length; i++) {
            records[i] = new SimpleRecord(1_000L + i, null, values[i].getBytes(StandardCharsets.UTF_8));
        }
        return records;
    }

    public static ProduceRequestData produce(String topic, int acks, MemoryRecords records) {
        ProduceRequestData request =
                new ProduceRequestData().setAcks((short) acks).setTimeoutMs(1_000);
        TopicProduceData data = new TopicProduceData().setName(topic);
        data.partitionData().add(new PartitionProduceData().setIndex(0).setRecords(records));
        request.topicData().add(data);
        return request;
    }
}
