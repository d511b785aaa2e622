package dev.muster.bench.broker;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Kafka's own clients, with the same settings for every server. */
public record Clients(String bootstrap) {
    /** The heartbeat interval of a member, unless a case sets another one. */
    public static final Duration HEARTBEAT = Duration.ofSeconds(3);

    /** The fastest producer: batches of 64 KiB, every record acknowledged, idempotent. */
    public Producer<byte[], byte[]> streamingProducer() {
        return producer(Map.of("batch.size", 64 << 10, "linger.ms", 5));
    }

    /** A producer that sends each record at once, and retries soon if the server is away. */
    public Producer<byte[], byte[]> promptProducer() {
        return producer(Map.of(
                "linger.ms",
                0,
                "reconnect.backoff.ms",
                20,
                "reconnect.backoff.max.ms",
                50,
                "retry.backoff.ms",
                20,
                "retry.backoff.max.ms",
                50,
                "request.timeout.ms",
                3000));
    }

    private Producer<byte[], byte[]> producer(Map<String, Object> settings) {
        Map<String, Object> all = new HashMap<>(settings);
        all.put("bootstrap.servers", bootstrap);
        all.put("acks", "all");
        return new KafkaProducer<>(all, new ByteArraySerializer(), new ByteArraySerializer());
    }

    /**
     * A consumer with assigned partitions. Its last fetch, which finds no records, does not delay its close for long.
     */
    public Consumer<byte[], byte[]> reader() {
        return consumer(Map.of("fetch.max.wait.ms", 100));
    }

    /** A consumer that will be a group member, with the classic protocol. */
    public Consumer<byte[], byte[]> member(String group, Duration heartbeat) {
        return consumer(Map.of(
                "group.id", group, "group.protocol", "classic", "heartbeat.interval.ms", (int) heartbeat.toMillis()));
    }

    private Consumer<byte[], byte[]> consumer(Map<String, Object> settings) {
        Map<String, Object> all = new HashMap<>(settings);
        all.put("bootstrap.servers", bootstrap);
        all.put("auto.offset.reset", "earliest");
        all.put("enable.auto.commit", false);
        return new KafkaConsumer<>(all, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    public Admin admin() {
        return Admin.create(Map.of("bootstrap.servers", bootstrap, "retry.backoff.ms", 10, "retry.backoff.max.ms", 50));
    }
}
