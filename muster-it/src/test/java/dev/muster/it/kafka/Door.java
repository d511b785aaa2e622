package dev.muster.it.kafka;

import dev.muster.kafka.KafkaServer;
import dev.muster.kafka.config.HostAndPort;
import dev.muster.kafka.config.ServerConfig;
import dev.muster.store.file.FileStore;
import dev.muster.store.file.FileStoreOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** A server in this process, on its own directory and port, and clients for it. */
final class Door implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private final FileStore store;
    private final KafkaServer server;

    private Door(FileStore store, KafkaServer server) {
        this.store = store;
        this.server = server;
    }

    static Door open(Path data, String... settings) {
        return open(data, Optional.empty(), settings);
    }

    /** A server that clients reach only at the given address. */
    static Door openBehind(Path data, HostAndPort advertised) {
        return open(data, Optional.of(advertised));
    }

    private static Door open(Path data, Optional<HostAndPort> advertised, String... settings) {
        Map<String, String> map = new HashMap<>();
        for (String setting : settings) {
            map.put(setting.substring(0, setting.indexOf('=')), setting.substring(setting.indexOf('=') + 1));
        }
        FileStore store = FileStore.open(data, FileStoreOptions.defaults());
        return new Door(
                store, KafkaServer.open(store, ServerConfig.fromMap(map), new HostAndPort("127.0.0.1", 0), advertised));
    }

    FileStore store() {
        return store;
    }

    KafkaServer server() {
        return server;
    }

    String address() {
        return server.advertised().toString();
    }

    KafkaProducer<String, String> producer(String... settings) {
        return producerOf(address(), settings);
    }

    static KafkaProducer<String, String> producerOf(String address, String... settings) {
        return new KafkaProducer<>(configuration(address, settings), new StringSerializer(), new StringSerializer());
    }

    KafkaConsumer<String, String> consumer(String... settings) {
        return consumerOf(address(), settings);
    }

    static KafkaConsumer<String, String> consumerOf(String address, String... settings) {
        return new KafkaConsumer<>(
                configuration(address, settings), new StringDeserializer(), new StringDeserializer());
    }

    Admin admin() {
        return Admin.create(configuration(address()));
    }

    static Map<String, Object> configuration(String address, String... settings) {
        Map<String, Object> map = new HashMap<>();
        map.put("bootstrap.servers", address);
        map.put("enable.metrics.push", "false");
        Arrays.stream(settings)
                .forEach(setting -> map.put(
                        setting.substring(0, setting.indexOf('=')), setting.substring(setting.indexOf('=') + 1)));
        return map;
    }

    /** Reads a partition from an offset on until this number of records arrived. */
    static List<ConsumerRecord<String, String>> read(
            KafkaConsumer<String, String> consumer, TopicPartition partition, long from, int count) {
        consumer.assign(List.of(partition));
        consumer.seek(partition, from);
        List<ConsumerRecord<String, String>> records = new ArrayList<>();
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (records.size() < count && System.nanoTime() < deadline) {
            consumer.poll(Duration.ofMillis(200)).forEach(records::add);
        }
        return records;
    }

    @Override
    public void close() {
        server.close();
        store.close();
    }
}
