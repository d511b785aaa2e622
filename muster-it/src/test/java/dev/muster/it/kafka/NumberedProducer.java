package dev.muster.it.kafka;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * An idempotent producer that numbers its records, uses the partitions in turn, and keeps the acknowledged records. No
 * send may fail, whatever happens to the server.
 */
final class NumberedProducer implements AutoCloseable {
    /** A record that the server has acknowledged. */
    record Acknowledged(TopicPartition partition, long offset, String value) {}

    private static final String[] PATIENT = {
        "acks=all",
        "enable.idempotence=true",
        "retries=2147483647",
        "retry.backoff.ms=20",
        "retry.backoff.max.ms=100",
        "reconnect.backoff.ms=10",
        "reconnect.backoff.max.ms=50",
        "socket.connection.setup.timeout.ms=2000",
        "request.timeout.ms=10000",
        "max.block.ms=600000",
        "delivery.timeout.ms=600000",
        "metadata.max.age.ms=1000"
    };

    private final String name;
    private final String topic;
    private final int partitions;
    private final KafkaProducer<String, String> producer;
    private final ConcurrentLinkedQueue<Acknowledged> acknowledged = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<Exception> failures = new ConcurrentLinkedQueue<>();
    private final AtomicLong lastNanos = new AtomicLong();
    private final AtomicLong count;
    private long sent;

    /** @param count counter of acknowledgements; several producers may share it */
    NumberedProducer(String address, String name, String topic, int partitions, AtomicLong count, String... settings) {
        this.name = name;
        this.topic = topic;
        this.partitions = partitions;
        this.count = count;
        List<String> all = new ArrayList<>(List.of(PATIENT));
        all.addAll(List.of(settings));
        this.producer = Door.producerOf(address, all.toArray(String[]::new));
    }

    String name() {
        return name;
    }

    /** Sends the next record; waits where the memory of the client is full. */
    void send() {
        int partition = (int) (sent % partitions);
        String value = name + " " + sent++;
        producer.send(
                new ProducerRecord<>(topic, partition, null, value), (done, failure) -> note(value, done, failure));
    }

    private void note(String value, RecordMetadata done, Exception failure) {
        if (failure != null) {
            failures.add(failure);
            return;
        }
        acknowledged.add(new Acknowledged(new TopicPartition(topic, done.partition()), done.offset(), value));
        lastNanos.set(System.nanoTime());
        count.incrementAndGet();
    }

    /** Waits until all records are acknowledged; throws the first failure. */
    void flush() {
        producer.flush();
        if (!failures.isEmpty()) {
            throw new AssertionError(
                    failures.size() + " records of " + name + " for " + topic + " were refused", failures.peek());
        }
        if (acknowledged.size() != sent) {
            throw new AssertionError(
                    acknowledged.size() + " of " + sent + " records of " + name + " for " + topic + " are there");
        }
    }

    long sent() {
        return sent;
    }

    /** The time of the last acknowledgement, as {@link System#nanoTime}. */
    long lastNanos() {
        return lastNanos.get();
    }

    List<Acknowledged> acknowledged() {
        return List.copyOf(acknowledged);
    }

    @Override
    public void close() {
        producer.close();
    }
}
