package dev.muster.it.trouble;

import dev.muster.it.Rounds;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * A Kafka producer and a Kafka consumer on the server of the {@link VandalIT}; they report their actions to the books.
 */
final class VandalWireLoad implements AutoCloseable {
    private final String address;
    private final VandalBooks books;
    private final List<Thread> threads;
    private volatile boolean ending;

    VandalWireLoad(int port, VandalBooks books) {
        this.address = "127.0.0.1:" + port;
        this.books = books;
        this.threads = List.of(
                Thread.ofPlatform().name("vandal-produce").start(() -> repeat("wire-producer", this::produce)),
                Thread.ofPlatform().name("vandal-consume").start(() -> repeat("wire-member", this::consume)));
    }

    private interface Work {
        void run() throws InterruptedException, ExecutionException;
    }

    private void repeat(String name, Work work) {
        while (!ending) {
            try {
                work.run();
            } catch (ExecutionException e) {
                books.note(name, "trouble " + e.getCause());
            } catch (KafkaException e) {
                if (!ending) {
                    books.note(name, "trouble " + e);
                }
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private long next;

    private void produce() throws InterruptedException, ExecutionException {
        Map<String, Object> config = Map.of(
                ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                address,
                ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG,
                20_000,
                ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG,
                5_000,
                ProducerConfig.LINGER_MS_CONFIG,
                0);
        try (KafkaProducer<String, String> producer =
                new KafkaProducer<>(config, new StringSerializer(), new StringSerializer())) {
            while (!ending) {
                long number = next++;
                Future<RecordMetadata> sent = producer.send(
                        new ProducerRecord<>("kept", "key-" + number % 16, VandalLoad.value("wire", number)));
                RecordMetadata place = sent.get();
                books.note(
                        "wire-producer", "acked kept " + place.partition() + " " + place.offset() + " wire-" + number);
                Rounds.letTimePass(10);
            }
        }
    }

    private void consume() {
        Map<String, Object> config = Map.of(
                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                address,
                ConsumerConfig.GROUP_ID_CONFIG,
                "wire",
                ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                "earliest",
                ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
                false,
                ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG,
                10_000);
        try (KafkaConsumer<String, String> consumer =
                new KafkaConsumer<>(config, new StringDeserializer(), new StringDeserializer())) {
            consumer.subscribe(List.of("kept"));
            while (!ending) {
                var records = consumer.poll(Duration.ofMillis(200));
                for (ConsumerRecord<String, String> record : records) {
                    String id = VandalLoad.id(record.value());
                    if (id.isEmpty()) {
                        books.note("wire-member", "wrong no writer made " + record);
                    }
                    books.note(
                            "wire-member",
                            "got " + record.topic() + " " + record.partition() + " " + record.offset() + " " + id);
                }
                if (!records.isEmpty()) {
                    consumer.commitSync();
                }
            }
        }
    }

    @Override
    public void close() {
        ending = true;
        threads.forEach(Thread::interrupt);
        threads.forEach(Rounds::join);
    }
}
