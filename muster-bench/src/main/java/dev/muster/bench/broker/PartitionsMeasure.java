package dev.muster.bench.broker;

import dev.muster.bench.measure.Payload;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;

/** The time until a new topic of many partitions can be used: until a record was acknowledged in each partition. */
public record PartitionsMeasure(int partitions) {
    /** @return the milliseconds since the request for the topic */
    public double run(Rival rival) throws Exception {
        AtomicInteger acknowledged = new AtomicInteger();
        AtomicReference<Exception> refused = new AtomicReference<>();
        // Connects before: the start of the client does not count.
        try (Producer<byte[], byte[]> producer = rival.clients().streamingProducer();
                BrokerTopic connecting = rival.newTopic(1)) {
            producer.partitionsFor(connecting.name());
            long begin = System.nanoTime();
            try (BrokerTopic topic = rival.newTopic(partitions)) {
                for (TopicPartition partition : topic.partitions()) {
                    producer.send(
                            new ProducerRecord<>(
                                    partition.topic(), partition.partition(), null, new byte[Payload.BYTES_MIN]),
                            (_, refusal) -> {
                                if (refusal == null) {
                                    acknowledged.incrementAndGet();
                                } else {
                                    refused.compareAndSet(null, refusal);
                                }
                            });
                }
                producer.flush();
                double millis = (System.nanoTime() - begin) / 1e6;
                if (refused.get() != null || acknowledged.get() != partitions) {
                    throw new CheckFailedException(acknowledged + " of " + partitions
                            + " partitions took a record, first refusal: " + refused.get());
                }
                requireOneEach(topic);
                return millis;
            }
        }
    }

    private static void requireOneEach(BrokerTopic topic) throws Exception {
        for (Map.Entry<TopicPartition, Long> end : topic.ends().entrySet()) {
            if (end.getValue() != 1) {
                throw new CheckFailedException(end.getKey() + " ends at " + end.getValue() + " after one record");
            }
        }
    }
}
