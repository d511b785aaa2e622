package dev.muster.it.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.clients.admin.ListGroupsOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownServerException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Clients of a group whose journal is damaged get an error that they do not retry; clients of other groups are not
 * affected.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class DamagedGroupIT {
    private static final String TOPIC = "orders";
    private static final TopicPartition PARTITION = new TopicPartition(TOPIC, 0);
    private static final String DAMAGED = "damaged";
    private static final String WHOLE = "whole";
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    @TempDir
    private Path data;

    private Door door;

    @BeforeEach
    void damageAGroup() throws Exception {
        try (Door before = Door.open(data);
                Admin admin = before.admin()) {
            admin.createTopics(List.of(new NewTopic(TOPIC, 1, (short) 1))).all().get();
            try (KafkaProducer<String, String> producer = before.producer()) {
                for (int i = 0; i < 10; i++) {
                    producer.send(new ProducerRecord<>(TOPIC, 0, null, Integer.toString(i)));
                }
                producer.flush();
            }
            for (String group : List.of(DAMAGED, WHOLE)) {
                admin.alterConsumerGroupOffsets(group, Map.of(PARTITION, new OffsetAndMetadata(4)))
                        .all()
                        .get();
            }
        }
        flipAByteOfTheJournal();
        door = Door.open(data);
    }

    private void flipAByteOfTheJournal() throws IOException {
        try (Stream<Path> files = Files.walk(data.resolve("consumer-groups").resolve(DAMAGED))) {
            Path segment = files.filter(file -> file.toString().endsWith(".log"))
                    .findFirst()
                    .orElseThrow();
            byte[] bytes = Files.readAllBytes(segment);
            int at = new String(bytes, StandardCharsets.ISO_8859_1).indexOf("committed");
            assertThat(at).as("place of a commit").isPositive();
            bytes[at] ^= 1;
            Files.write(segment, bytes);
        }
    }

    @AfterEach
    void closeDoor() {
        door.close();
    }

    /** A poll that waits for ever would end in {@link #PATIENCE} without an exception. */
    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    void aPollOfADamagedGroupFailsFinally(String protocol) {
        try (KafkaConsumer<String, String> consumer =
                door.consumer("group.id=" + DAMAGED, "group.protocol=" + protocol)) {
            consumer.subscribe(List.of(TOPIC));
            assertThatThrownBy(() -> pollUntil(consumer))
                    .isInstanceOf(KafkaException.class)
                    .isNotInstanceOf(TimeoutException.class);
        }
        assertOthersWork();
    }

    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    void offsetRequestsToADamagedGroupFailFinally(String protocol) {
        try (KafkaConsumer<String, String> consumer =
                door.consumer("group.id=" + DAMAGED, "group.protocol=" + protocol, "default.api.timeout.ms=60000")) {
            consumer.assign(List.of(PARTITION));
            assertThatThrownBy(() -> consumer.committed(Set.of(PARTITION)))
                    .isInstanceOf(KafkaException.class)
                    .isNotInstanceOf(TimeoutException.class);
            assertThatThrownBy(() -> consumer.commitSync(Map.of(PARTITION, new OffsetAndMetadata(5))))
                    .isInstanceOf(KafkaException.class)
                    .isNotInstanceOf(TimeoutException.class);
        }
        assertOthersWork();
    }

    private static void pollUntil(KafkaConsumer<String, String> consumer) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (System.nanoTime() - end < 0) {
            assertThat(consumer.poll(Duration.ofMillis(200))).isEmpty();
        }
    }

    private void assertOthersWork() {
        try (KafkaConsumer<String, String> consumer = door.consumer("group.id=" + WHOLE)) {
            consumer.subscribe(List.of(TOPIC));
            List<String> read = new ArrayList<>();
            long end = System.nanoTime() + PATIENCE.toNanos();
            while (read.size() < 6 && System.nanoTime() - end < 0) {
                consumer.poll(Duration.ofMillis(200)).forEach(record -> read.add(record.value()));
            }
            assertThat(read).containsExactly("4", "5", "6", "7", "8", "9");
        }
    }

    @Test
    void administratorsSeeTheDamagedGroupAndDeleteIt() throws Exception {
        try (Admin admin = door.admin()) {
            assertThat(admin.listGroups(new ListGroupsOptions()).all().get())
                    .extracting(GroupListing::groupId)
                    .containsExactlyInAnyOrder(DAMAGED, WHOLE);
            var described =
                    admin.describeConsumerGroups(List.of(DAMAGED, WHOLE)).describedGroups();
            assertThat(described.get(WHOLE).get().groupId()).isEqualTo(WHOLE);
            assertThatThrownBy(() -> described.get(DAMAGED).get())
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(UnknownServerException.class);
            admin.deleteConsumerGroups(List.of(DAMAGED)).all().get();
            assertThat(admin.listGroups(new ListGroupsOptions()).all().get())
                    .extracting(GroupListing::groupId)
                    .containsExactly(WHOLE);
        }
    }
}
