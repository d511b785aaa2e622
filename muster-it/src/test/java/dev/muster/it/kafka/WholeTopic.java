package dev.muster.it.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.it.kafka.NumberedProducer.Acknowledged;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;

/** All records of a topic, read from start to end, to compare with the producers' records. */
final class WholeTopic {
    private static final long PATIENCE_NANOS = Duration.ofMinutes(5).toNanos();

    private final Map<TopicPartition, List<String>> values = new HashMap<>();

    private WholeTopic() {}

    static WholeTopic read(String address, String topic) {
        WholeTopic whole = new WholeTopic();
        try (KafkaConsumer<String, String> consumer = Door.consumerOf(address)) {
            List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
                    .map(info -> new TopicPartition(topic, info.partition()))
                    .toList();
            partitions.forEach(partition -> whole.values.put(partition, new ArrayList<>()));
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            long deadline = System.nanoTime() + PATIENCE_NANOS;
            while (partitions.stream().anyMatch(each -> consumer.position(each) < ends.get(each))) {
                consumer.poll(Duration.ofMillis(100)).forEach(whole::add);
                assertThat(System.nanoTime()).as("time to read %s", topic).isLessThan(deadline);
            }
        }
        return whole;
    }

    private void add(ConsumerRecord<String, String> read) {
        List<String> known = values.get(new TopicPartition(read.topic(), read.partition()));
        assertThat(read.offset())
                .as("the next offset of partition %d", read.partition())
                .isEqualTo(known.size());
        known.add(read.value());
    }

    long size() {
        return values.values().stream().mapToLong(List::size).sum();
    }

    /**
     * Checks that each acknowledged record is at its offset, no record exists twice, and each producer's order is kept.
     */
    void assertHoldsExactly(Collection<NumberedProducer> producers) {
        Map<String, Acknowledged> expected = new HashMap<>();
        for (NumberedProducer producer : producers) {
            for (Acknowledged each : producer.acknowledged()) {
                assertThat(values.get(each.partition()))
                        .as("%s holds \"%s\" at its offset %d", each.partition(), each.value(), each.offset())
                        .hasSizeGreaterThan((int) each.offset())
                        .element((int) each.offset())
                        .isEqualTo(each.value());
                expected.put(each.value(), each);
            }
        }
        assertThat(size()).as("records in the topic").isEqualTo(expected.size());
        values.forEach(WholeTopic::assertInOrder);
    }

    private static void assertInOrder(TopicPartition partition, List<String> values) {
        Map<String, Long> lastOf = new HashMap<>();
        for (String value : values) {
            int space = value.lastIndexOf(' ');
            long number = Long.parseLong(value.substring(space + 1));
            Long before = lastOf.put(value.substring(0, space), number);
            if (before != null) {
                assertThat(number).as("%s, behind number %d", partition, before).isGreaterThan(before);
            }
        }
    }
}
