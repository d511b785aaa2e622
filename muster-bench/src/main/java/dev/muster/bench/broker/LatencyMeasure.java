package dev.muster.bench.broker;

import dev.muster.bench.measure.Payload;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * The time from just before a record is sent until {@code poll} has returned it, at a rate far below the limit of the
 * server.
 *
 * @param warmUp the records before those that count
 */
public record LatencyMeasure(int size, int perSecond, int warmUp, int records, long seed) {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** @return the nanoseconds of each record that counts */
    public Histogram run(BrokerTopic topic) throws Exception {
        AtomicReference<Exception> refused = new AtomicReference<>();
        try (Consumer<byte[], byte[]> consumer = topic.clients().reader();
                Producer<byte[], byte[]> producer = topic.clients().promptProducer();
                ExecutorService thread = Executors.newSingleThreadExecutor()) {
            consumer.assign(topic.partitions());
            consumer.seekToBeginning(topic.partitions());
            topic.partitions().forEach(consumer::position);
            producer.partitionsFor(topic.name());
            Future<Histogram> reading = thread.submit(() -> read(consumer));
            send(topic, producer, refused);
            if (refused.get() != null) {
                throw new CheckFailedException("a record was refused: " + refused.get());
            }
            return reading.get();
        }
    }

    /** Sends each record when it is due. Records that became late, because the sender was delayed, are sent at once. */
    private void send(BrokerTopic topic, Producer<byte[], byte[]> producer, AtomicReference<Exception> refused) {
        Payload payload = new Payload(seed, size);
        byte[] record = new byte[size];
        long begin = System.nanoTime();
        for (int number = 0; number < warmUp + records; number++) {
            long due = begin + number * 1_000_000_000L / perSecond;
            for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
                LockSupport.parkNanos(left);
            }
            payload.fill(record, 0, number);
            Payload.stamp(record, System.nanoTime());
            producer.send(new ProducerRecord<>(topic.name(), record), (_, refusal) -> {
                if (refusal != null) {
                    refused.compareAndSet(null, refusal);
                }
            });
        }
        producer.flush();
    }

    private Histogram read(Consumer<byte[], byte[]> consumer) {
        Histogram latencies = new Histogram(3);
        long heardNanos = System.nanoTime();
        for (int next = 0; next < warmUp + records; ) {
            for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(500))) {
                heardNanos = System.nanoTime();
                if (record.offset() != next || Payload.number(record.value()) != next) {
                    throw new CheckFailedException("record " + Payload.number(record.value()) + " at offset "
                            + record.offset() + " where " + next + " belongs");
                }
                if (next++ >= warmUp) {
                    latencies.recordValue(Math.max(0, heardNanos - Payload.stamp(record.value())));
                }
            }
            if (System.nanoTime() - heardNanos > PATIENCE.toNanos()) {
                throw new CheckFailedException("waited " + PATIENCE + " for record " + next);
            }
        }
        return latencies;
    }
}
