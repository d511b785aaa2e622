package dev.muster.bench.broker;

import dev.muster.bench.broker.ProduceMeasure.Produced;
import java.time.Duration;
import java.util.stream.LongStream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * The records per second that one consumer reads from a topic, from its start to its end, with every record counted.
 *
 * @param size the size of each record
 * @param time the consumer starts again at the beginning until this time is over
 */
public record ConsumeMeasure(int size, Duration time) {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    /** @param records the records of all passes */
    public record Consumed(long records, double seconds, Duration serverTime) {
        public double perSecond() {
            return records / seconds;
        }

        public double serverMicrosPerRecord() {
            return serverTime.toNanos() / 1e3 / records;
        }
    }

    public Consumed run(Rival rival, BrokerTopic topic, Produced expected) throws Exception {
        return run(rival, topic, expected.acknowledgedByWriter());
    }

    public Consumed run(Rival rival, BrokerTopic topic, long... acknowledged) throws Exception {
        long wanted = LongStream.of(acknowledged).sum();
        long ends = topic.ends().values().stream().mapToLong(Long::longValue).sum();
        if (ends != wanted) {
            throw new CheckFailedException(wanted + " records were acknowledged, the partitions end after " + ends);
        }
        try (Consumer<byte[], byte[]> consumer = topic.clients().reader()) {
            consumer.assign(topic.partitions());
            consumer.endOffsets(topic.partitions());
            Duration before = rival.broker().status().processorTime();
            long begin = System.nanoTime();
            long records = 0;
            do {
                records += pass(consumer, topic, wanted, acknowledged);
            } while (System.nanoTime() - begin < time.toNanos());
            double seconds = (System.nanoTime() - begin) / 1e9;
            return new Consumed(
                    records, seconds, rival.broker().status().processorTime().minus(before));
        }
    }

    private long pass(Consumer<byte[], byte[]> consumer, BrokerTopic topic, long wanted, long... acknowledged) {
        Tally tally = new Tally(size, topic.partitionCount(), acknowledged.length);
        consumer.seekToBeginning(topic.partitions());
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (tally.count() < wanted) {
            for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(500))) {
                tally.accept(record.partition(), record.offset(), record.value());
            }
            if (System.nanoTime() > deadline) {
                throw new CheckFailedException("read " + tally.count() + " of " + wanted + " records in " + PATIENCE);
            }
        }
        tally.requireAll(acknowledged);
        return tally.count();
    }
}
