package dev.muster.it.trouble;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.embedded.Codec;
import dev.muster.embedded.GroupConsumer;
import dev.muster.embedded.Muster;
import dev.muster.embedded.Producer;
import dev.muster.embedded.Received;
import dev.muster.it.Rounds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Producers and groups of all kinds on one topic: an embedded producer, an idempotent Kafka producer, and a compressing
 * one that is not idempotent; a group of the library, one of Kafka's classic protocol and one of KIP-848. Each group
 * must get every acknowledged record.
 */
final class FullDiskLoad implements AutoCloseable {
    /** The prefix of the ids of the producer without idempotence. */
    private static final String PLAIN = "p";

    /** Longer than any test: no record may fail on a slow machine. */
    private static final Duration DELIVERY = Duration.ofMinutes(20);

    private static final int UNACKNOWLEDGED_MAX = 20;
    private static final String FILLER = "x".repeat(200);

    /** Between two records of a producer. All records stay on a small disk, which the ballast must fill, not they. */
    private static final long PAUSE_MS = 4;

    private final String topic;
    private final Muster muster;
    private final String server;
    private final List<Thread> threads = new ArrayList<>();
    private final List<Throwable> failures = new java.util.concurrent.CopyOnWriteArrayList<>();
    /** The acknowledged records of each producer, by its name. */
    private final Map<String, AtomicLong> acknowledged = new LinkedHashMap<>();

    private final Set<String> allAcknowledged = ConcurrentHashMap.newKeySet();
    private final Map<String, Set<String>> delivered = new LinkedHashMap<>();
    private volatile boolean producing = true;
    private volatile boolean consuming = true;

    private interface Work {
        void run() throws Exception;
    }

    /** @param server host and port of a Muster server on the same directory */
    FullDiskLoad(Muster muster, String topic, String server) {
        this.muster = muster;
        this.topic = topic;
        this.server = server;
        start("embedded group", () -> embeddedGroup(delivered("embedded group")));
        start("classic group", () -> kafkaGroup("classic", delivered("classic group")));
        start("modern group", () -> kafkaGroup("consumer", delivered("modern group")));
        start("embedded producer", () -> embeddedProducer(counter("embedded producer")));
        start("Kafka producer", () -> kafkaProducer("k", counter("Kafka producer"), Map.of()));
        Map<String, Object> plain = Map.of(
                "enable.idempotence",
                "false",
                "max.in.flight.requests.per.connection",
                "1",
                "request.timeout.ms",
                // A repeated record may be in the log twice.
                Long.toString(DELIVERY.toMillis() / 2),
                "compression.type",
                "gzip");
        start("plain Kafka producer", () -> kafkaProducer(PLAIN, counter("plain Kafka producer"), plain));
    }

    private synchronized Set<String> delivered(String group) {
        return delivered.computeIfAbsent(group, _ -> ConcurrentHashMap.newKeySet());
    }

    private synchronized AtomicLong counter(String producer) {
        return acknowledged.computeIfAbsent(producer, _ -> new AtomicLong());
    }

    private void start(String name, Work work) {
        if (name.endsWith("group")) {
            delivered(name);
        } else {
            counter(name);
        }
        threads.add(Thread.ofPlatform().name(name).start(() -> {
            try {
                work.run();
            } catch (Exception | AssertionError e) {
                failures.add(new AssertionError(name + " failed", e));
            }
        }));
    }

    // ---- producers: a paced stream of numbered records, a bounded number of them without acknowledgement

    private void produce(String prefix, AtomicLong count, BiConsumer<String, BiConsumer<Object, Throwable>> send)
            throws InterruptedException {
        Semaphore window = new Semaphore(UNACKNOWLEDGED_MAX);
        for (long number = 0; producing; number++) {
            String id = prefix + number;
            window.acquire();
            send.accept(id, (_, failure) -> {
                window.release();
                if (failure != null) {
                    failures.add(new AssertionError(id + " was not acknowledged", failure));
                } else {
                    allAcknowledged.add(id);
                    count.incrementAndGet();
                }
            });
            Rounds.letTimePass(PAUSE_MS);
        }
        window.acquire(UNACKNOWLEDGED_MAX);
    }

    private void embeddedProducer(AtomicLong count) throws InterruptedException {
        try (Producer<String, String> producer = muster.producer(topic)
                .keys(Codec.STRING)
                .values(Codec.STRING)
                .deliveryTimeout(DELIVERY)
                .open()) {
            produce("e", count, (id, done) -> {
                var _ = producer.send(id, FILLER).whenComplete(done);
            });
        }
    }

    private void kafkaProducer(String prefix, AtomicLong count, Map<String, Object> more) throws InterruptedException {
        Map<String, Object> settings = new HashMap<>(more);
        settings.put("bootstrap.servers", server);
        settings.put("enable.metrics.push", "false");
        settings.put("acks", "all");
        settings.put("delivery.timeout.ms", Long.toString(DELIVERY.toMillis()));
        try (KafkaProducer<String, String> producer =
                new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
            produce(prefix, count, (id, done) -> {
                var _ = producer.send(
                        new ProducerRecord<>(topic, id, FILLER), (metadata, failure) -> done.accept(metadata, failure));
            });
        }
    }

    // ---- groups: each commits after every poll

    private void embeddedGroup(Set<String> got) {
        embeddedGroup("embedded", got, () -> consuming);
    }

    private void embeddedGroup(String group, Set<String> got, BooleanSupplier goesOn) {
        try (GroupConsumer<String, String> member = muster.consumer(group, topic)
                .keys(Codec.STRING)
                .values(Codec.STRING)
                .commitByHand()
                .open()) {
            while (goesOn.getAsBoolean()) {
                List<Received<String, String>> records = member.poll(Duration.ofMillis(100));
                records.forEach(record -> got.add(record.key()));
                if (!records.isEmpty()) {
                    member.commit();
                }
            }
        }
    }

    private void kafkaGroup(String protocol, Set<String> got) {
        kafkaGroup("kafka-" + protocol, protocol, got, () -> consuming);
    }

    private void kafkaGroup(String group, String protocol, Set<String> got, BooleanSupplier goesOn) {
        Map<String, Object> settings = Map.of(
                "bootstrap.servers",
                server,
                "enable.metrics.push",
                "false",
                "group.id",
                group,
                "group.protocol",
                protocol,
                "auto.offset.reset",
                "earliest",
                "enable.auto.commit",
                "false",
                "default.api.timeout.ms",
                Long.toString(DELIVERY.toMillis()));
        try (KafkaConsumer<String, String> member =
                new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
            member.subscribe(List.of(topic));
            while (goesOn.getAsBoolean()) {
                boolean any = false;
                for (ConsumerRecord<String, String> record : member.poll(Duration.ofMillis(100))) {
                    got.add(record.key());
                    any = true;
                }
                if (any) {
                    member.commitSync();
                }
            }
        }
    }

    /**
     * New groups of all kinds, one after the other: a member joins, reads all of these records from the start, commits
     * after every poll, and leaves.
     *
     * @param groups suffix of their names
     * @param patience time in which each group must have read the records
     */
    void readInNewGroups(String groups, Set<String> ids, Duration patience) {
        newGroup("embedded" + groups, ids, patience, (group, got, goesOn) -> embeddedGroup(group, got, goesOn));
        newGroup("classic" + groups, ids, patience, (group, got, goesOn) -> kafkaGroup(group, "classic", got, goesOn));
        newGroup("modern" + groups, ids, patience, (group, got, goesOn) -> kafkaGroup(group, "consumer", got, goesOn));
    }

    private interface Membership {
        void run(String group, Set<String> got, BooleanSupplier goesOn);
    }

    private static void newGroup(String group, Set<String> ids, Duration patience, Membership membership) {
        Set<String> got = new HashSet<>();
        long deadline = System.nanoTime() + patience.toNanos();
        membership.run(group, got, () -> {
            assertThat(System.nanoTime() - deadline)
                    .as("%s got %d records of %d", group, got.size(), ids.size())
                    .isNegative();
            return !got.containsAll(ids);
        });
    }

    // ---- for the test

    /** True if the producer of this record may repeat a written record whose sync failed on the full disk. */
    static boolean mayBeDoubled(String id) {
        return id.startsWith(PLAIN);
    }

    /** The number of acknowledged records of each producer. */
    Map<String, Long> counts() {
        Map<String, Long> now = new LinkedHashMap<>();
        acknowledged.forEach((name, count) -> now.put(name, count.get()));
        return now;
    }

    long count() {
        return allAcknowledged.size();
    }

    Set<String> acknowledgedIds() {
        return Set.copyOf(allAcknowledged);
    }

    /** Acknowledged records that a group did not get yet, with the name of the group; at most a few. */
    List<String> undelivered(Set<String> ids) {
        ConcurrentLinkedQueue<String> missing = new ConcurrentLinkedQueue<>();
        delivered.forEach((group, got) ->
                ids.stream().filter(id -> !got.contains(id)).limit(3).forEach(id -> missing.add(group + ": " + id)));
        return List.copyOf(missing);
    }

    List<Throwable> failures() {
        return List.copyOf(failures);
    }

    /** Stops sending, and waits until all records are acknowledged or failed. */
    void stopProducing() throws InterruptedException {
        producing = false;
        for (Thread thread : threads) {
            if (thread.getName().endsWith("producer")) {
                Rounds.join(thread);
            }
        }
    }

    @Override
    public void close() {
        producing = false;
        consuming = false;
        threads.forEach(Rounds::join);
    }
}
