package dev.muster.it.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.embedded.Codec;
import dev.muster.embedded.Muster;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Kafka's own clients work as with Kafka. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class KafkaClientIT {
    private static final TopicPartition ORDERS = new TopicPartition("orders", 0);

    @TempDir
    private Path data;

    private Door door;

    @BeforeEach
    void openDoor() {
        door = Door.open(data);
    }

    @AfterEach
    void closeDoor() {
        door.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "gzip", "snappy", "lz4", "zstd"})
    void recordsAreConsumedWithEveryCompression(String compression) throws Exception {
        try (KafkaProducer<String, String> producer = door.producer("compression.type=" + compression, "linger.ms=5");
                KafkaConsumer<String, String> consumer = door.consumer()) {
            List<Future<RecordMetadata>> sent = new ArrayList<>();
            for (int i = 0; i < 500; i++) {
                ProducerRecord<String, String> sending = new ProducerRecord<>(
                        "orders", null, 1_000L + i, i % 3 == 0 ? null : "key " + i, i % 7 == 0 ? null : "value " + i);
                sending.headers()
                        .add(new RecordHeader("number", Integer.toString(i).getBytes(StandardCharsets.UTF_8)));
                sending.headers().add(new RecordHeader("nothing", null));
                sent.add(producer.send(sending));
            }
            for (int i = 0; i < sent.size(); i++) {
                assertThat(sent.get(i).get().offset()).isEqualTo(i);
            }
            List<ConsumerRecord<String, String>> read = Door.read(consumer, ORDERS, 0, 500);
            assertThat(read).hasSize(500);
            for (int i = 0; i < 500; i++) {
                ConsumerRecord<String, String> got = read.get(i);
                assertThat(got.offset()).isEqualTo(i);
                assertThat(got.timestamp()).isEqualTo(1_000 + i);
                assertThat(got.key()).isEqualTo(i % 3 == 0 ? null : "key " + i);
                assertThat(got.value()).isEqualTo(i % 7 == 0 ? null : "value " + i);
                assertThat(new String(got.headers().lastHeader("number").value(), StandardCharsets.UTF_8))
                        .isEqualTo(Integer.toString(i));
                assertThat(got.headers().lastHeader("nothing").value()).isNull();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "1", "all"})
    void recordsArriveWithEveryAcksSetting(String acks) throws Exception {
        try (KafkaProducer<String, String> producer = door.producer("acks=" + acks, "enable.idempotence=false");
                KafkaConsumer<String, String> consumer = door.consumer()) {
            for (int i = 0; i < 50; i++) {
                producer.send(new ProducerRecord<>("orders", "value " + i));
            }
            producer.flush();
            assertThat(Door.read(consumer, ORDERS, 0, 50))
                    .extracting(ConsumerRecord::value)
                    .containsExactlyElementsOf(
                            IntStream.range(0, 50).mapToObj(i -> "value " + i).toList());
        }
    }

    @Test
    void libraryAndServerSeeEachOthersRecords() throws Exception {
        try (Muster muster = Muster.open(data);
                KafkaProducer<String, String> producer = door.producer();
                KafkaConsumer<String, String> consumer = door.consumer()) {
            producer.send(new ProducerRecord<>("orders", "alice", "book")).get();
            try (var reader = muster.reader("orders", Codec.STRING, Codec.STRING);
                    var embedded = muster.producer("orders", Codec.STRING, Codec.STRING)) {
                assertThat(reader.poll(Duration.ofMinutes(3)))
                        .singleElement()
                        .satisfies(r -> assertThat(r.value()).isEqualTo("book"));
                embedded.send("bob", "pen").join();
                assertThat(Door.read(consumer, ORDERS, 0, 2))
                        .extracting(ConsumerRecord::value)
                        .containsExactly("book", "pen");
            }
        }
    }

    @Test
    void aWaitingConsumerIsWokenByAnAppendOfTheLibrary() throws Exception {
        try (Muster muster = Muster.open(data);
                KafkaConsumer<String, String> consumer = door.consumer(
                        "fetch.max.wait.ms=300000", "request.timeout.ms=600000", "default.api.timeout.ms=600000")) {
            muster.topics().ensure("orders", topic -> topic.partitions(1));
            consumer.assign(List.of(ORDERS));
            consumer.seek(ORDERS, 0);
            // The fetch is in progress, and most likely parked, when the record is appended.
            consumer.poll(Duration.ofMillis(300));
            try (var embedded = muster.producer("orders", Codec.STRING, Codec.STRING)) {
                embedded.send("bob", "pen").join();
            }
            long begin = System.nanoTime();
            assertThat(consumer.poll(Duration.ofMinutes(4))).hasSize(1);
            // Long before the fetch would have been answered without a record.
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofMinutes(2));
            // Without the timeout it would wait for the answer to its next fetch.
            consumer.close(CloseOptions.timeout(Duration.ZERO));
        }
    }

    @Test
    void offsetsAreFoundByTimestampAndPosition() throws Exception {
        try (KafkaProducer<String, String> producer = door.producer();
                KafkaConsumer<String, String> consumer = door.consumer()) {
            for (long time : List.of(100L, 200L, 900L, 300L)) {
                producer.send(new ProducerRecord<>("orders", 0, time, null, "at " + time))
                        .get();
            }
            assertThat(consumer.beginningOffsets(List.of(ORDERS))).containsEntry(ORDERS, 0L);
            assertThat(consumer.endOffsets(List.of(ORDERS))).containsEntry(ORDERS, 4L);
            Map<TopicPartition, OffsetAndTimestamp> found = consumer.offsetsForTimes(Map.of(ORDERS, 150L));
            assertThat(found.get(ORDERS).offset()).isEqualTo(1);
            assertThat(found.get(ORDERS).timestamp()).isEqualTo(200);
            assertThat(consumer.offsetsForTimes(Map.of(ORDERS, 1_000L)).get(ORDERS))
                    .isNull();
            try (var admin = door.admin()) {
                var newest = admin.listOffsets(Map.of(ORDERS, org.apache.kafka.clients.admin.OffsetSpec.maxTimestamp()))
                        .partitionResult(ORDERS)
                        .get();
                assertThat(newest.offset()).isEqualTo(2);
                assertThat(newest.timestamp()).isEqualTo(900);
            }
        }
    }

    @Test
    void aTopicIsCreatedOnceWithTheRequestedSettings() throws Exception {
        try (var admin = door.admin()) {
            var wanted = new org.apache.kafka.clients.admin.NewTopic("made", 3, (short) 1)
                    .configs(Map.of("retention.ms", "60000", "cleanup.policy", "delete"));
            var made = admin.createTopics(List.of(wanted));
            assertThat(made.numPartitions("made").get()).isEqualTo(3);
            assertThat(made.config("made").get().get("retention.ms").value()).isEqualTo("60000");
            assertThatThrownBy(() -> admin.createTopics(List.of(wanted)).all().get())
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(TopicExistsException.class);
            var described =
                    admin.describeTopics(List.of("made")).allTopicNames().get().get("made");
            assertThat(described.partitions()).hasSize(3);
            assertThat(admin.listTopics().names().get()).containsExactly("made");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "zstd"})
    void onlyTheRecordWithAFutureTimestampIsRefused(String compression) throws Exception {
        try (KafkaProducer<String, String> producer = door.producer("compression.type=" + compression)) {
            long tomorrow = System.currentTimeMillis() + Duration.ofDays(1).toMillis();
            for (long timestamp : new long[] {tomorrow, Long.MAX_VALUE}) {
                assertThatThrownBy(() -> producer.send(new ProducerRecord<>("orders", null, timestamp, "k", "v"))
                                .get())
                        .hasCauseInstanceOf(InvalidTimestampException.class);
            }
            assertThat(producer.send(new ProducerRecord<>("orders", "now"))
                            .get()
                            .offset())
                    .isZero();
        }
    }

    @Test
    void onlyTheTooLargeBatchIsRefused() throws Exception {
        try (Muster muster = Muster.open(data)) {
            muster.topics().ensure("orders", topic -> topic.set("max.message.bytes", "1000"));
        }
        try (KafkaProducer<String, String> producer = door.producer()) {
            assertThatThrownBy(() -> producer.send(new ProducerRecord<>("orders", "x".repeat(2_000)))
                            .get())
                    .hasCauseInstanceOf(RecordTooLargeException.class);
            assertThat(producer.send(new ProducerRecord<>("orders", "small"))
                            .get()
                            .offset())
                    .isZero();
        }
    }
}
