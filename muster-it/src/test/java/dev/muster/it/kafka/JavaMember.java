package dev.muster.it.kafka;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Kafka's Java client as a program for {@link ClientContract}. It runs with the version on its class path, so it uses
 * no newer API, and no class of Muster.
 */
final class JavaMember {
    private JavaMember() {}

    public static void main(String[] arguments) throws Exception {
        List<String> rest = Arrays.asList(arguments).subList(1, arguments.length);
        switch (arguments[0]) {
            case "version" -> System.out.println(version());
            case "produce" -> produce(rest.get(0), rest.get(1), rest.get(2));
            case "consume" -> consume(rest.get(0), rest.get(1), rest.get(2), rest.subList(3, rest.size()));
            default -> throw new IllegalArgumentException(arguments[0]);
        }
    }

    private static String version() throws IOException {
        try (InputStream in = KafkaProducer.class.getResourceAsStream("/kafka/kafka-version.properties")) {
            Properties properties = new Properties();
            properties.load(in);
            return properties.getProperty("version");
        }
    }

    private static void produce(String address, String topic, String compression) throws Exception {
        Map<String, Object> settings =
                Map.of("bootstrap.servers", address, "compression.type", compression, "linger.ms", 20);
        try (KafkaProducer<String, String> producer =
                        new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer());
                BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            List<Future<?>> sent = new ArrayList<>();
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                int colon = line.indexOf(':');
                ProducerRecord<String, String> record = new ProducerRecord<>(
                        topic, 0, orNull(line.substring(0, colon)), orNull(line.substring(colon + 1)));
                record.headers().add("tenant", "blue".getBytes(StandardCharsets.UTF_8));
                record.headers().add("trace", "7".getBytes(StandardCharsets.UTF_8));
                sent.add(producer.send(record));
            }
            for (Future<?> one : sent) {
                one.get();
            }
        }
    }

    private static String orNull(String text) {
        return text.isEmpty() ? null : text;
    }

    private static void consume(String address, String topic, String group, List<String> given) {
        Map<String, Object> settings = new HashMap<>();
        settings.put("bootstrap.servers", address);
        settings.put("group.id", group);
        settings.put("auto.offset.reset", "earliest");
        settings.put("heartbeat.interval.ms", 300);
        given.forEach(setting ->
                settings.put(setting.substring(0, setting.indexOf('=')), setting.substring(setting.indexOf('=') + 1)));
        Thread here = Thread.currentThread();
        try (KafkaConsumer<String, String> consumer =
                new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                consumer.wakeup();
                try {
                    here.join();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }));
            consumer.subscribe(List.of(topic), new ConsumerRebalanceListener() {
                @Override
                public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
                    System.out.println("assigned " + partitions.size());
                }

                @Override
                public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
                    System.out.println("revoked " + partitions.size());
                }
            });
            while (true) {
                consumer.poll(Duration.ofMillis(200)).forEach(record -> System.out.println(line(record)));
            }
        } catch (WakeupException e) {
            System.out.println("left");
        }
    }

    private static String line(ConsumerRecord<String, String> record) {
        String headers = StreamSupport.stream(record.headers().spliterator(), false)
                .map(header -> header.key() + "=" + new String(header.value(), StandardCharsets.UTF_8))
                .collect(Collectors.joining(","));
        return "record " + record.partition() + " " + record.offset() + " " + text(record.key()) + " "
                + text(record.value()) + " " + headers;
    }

    private static String text(String data) {
        return data == null ? "NULL" : data;
    }
}
