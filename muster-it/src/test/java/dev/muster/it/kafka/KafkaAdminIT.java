package dev.muster.it.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.DeletedRecords;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicCollection;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.common.errors.InvalidPartitionsException;
import org.apache.kafka.common.errors.InvalidReplicationFactorException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Kafka's own admin client. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class KafkaAdminIT {
    private static final ConfigResource ORDERS = new ConfigResource(ConfigResource.Type.TOPIC, "orders");

    @TempDir
    private Path data;

    private Door door;
    private Admin admin;

    @BeforeEach
    void open() throws Exception {
        door = Door.open(data);
        admin = door.admin();
        admin.createTopics(List.of(new NewTopic("orders", 2, (short) 1))).all().get();
    }

    @AfterEach
    void close() {
        admin.close();
        door.close();
    }

    @Test
    void theClusterIsOneBrokerWithAName() throws Exception {
        var cluster = admin.describeCluster();
        assertThat(cluster.nodes().get()).singleElement().satisfies(node -> {
            assertThat(node.host() + ":" + node.port()).isEqualTo(door.address());
            assertThat(node.id()).isEqualTo(1);
        });
        assertThat(cluster.controller().get().id()).isEqualTo(1);
        assertThat(Uuid.fromString(cluster.clusterId().get()).getMostSignificantBits())
                .isEqualTo(door.store().id().getMostSignificantBits());
    }

    @Test
    void topicsAreDescribedByNameAndByIdAndDeleted() throws Exception {
        var orders =
                admin.describeTopics(List.of("orders")).allTopicNames().get().get("orders");
        assertThat(orders.partitions()).hasSize(2).allSatisfy(partition -> {
            assertThat(partition.leader().id()).isEqualTo(1);
            assertThat(partition.isr()).hasSize(1);
        });
        var same = admin.describeTopics(TopicCollection.ofTopicIds(List.of(orders.topicId())))
                .allTopicIds()
                .get();
        assertThat(same.get(orders.topicId()).name()).isEqualTo("orders");
        admin.deleteTopics(TopicCollection.ofTopicIds(List.of(orders.topicId())))
                .all()
                .get();
        assertThat(admin.listTopics().names().get()).isEmpty();
        assertThatThrownBy(() -> admin.deleteTopics(List.of("orders")).all().get())
                .hasCauseInstanceOf(UnknownTopicOrPartitionException.class);
    }

    @Test
    void settingsAreDescribedWithDefaultsAndChanged() throws Exception {
        var before = admin.describeConfigs(List.of(ORDERS)).all().get().get(ORDERS);
        assertThat(before.get("cleanup.policy").value()).isEqualTo("delete");
        assertThat(before.get("retention.ms").isDefault()).isTrue();
        assertThat(before.get("muster.sync").value()).isEqualTo("commit");
        admin.incrementalAlterConfigs(Map.of(
                        ORDERS,
                        List.of(new AlterConfigOp(new ConfigEntry("retention.ms", "5000"), AlterConfigOp.OpType.SET))))
                .all()
                .get();
        var after = admin.describeConfigs(List.of(ORDERS)).all().get().get(ORDERS);
        assertThat(after.get("retention.ms").value()).isEqualTo("5000");
        assertThat(after.get("retention.ms").isDefault()).isFalse();
        var unknown = new AlterConfigOp(new ConfigEntry("retention.msec", "5000"), AlterConfigOp.OpType.SET);
        assertThatThrownBy(() -> admin.incrementalAlterConfigs(Map.of(ORDERS, List.of(unknown)))
                        .all()
                        .get())
                .hasCauseInstanceOf(InvalidConfigurationException.class);
        var broker = new ConfigResource(ConfigResource.Type.BROKER, "1");
        assertThat(admin.describeConfigs(List.of(broker))
                        .all()
                        .get()
                        .get(broker)
                        .get("num.partitions")
                        .value())
                .isEqualTo("1");
    }

    @Test
    void partitionsCanBeAddedButNotRemoved() throws Exception {
        admin.createPartitions(Map.of("orders", NewPartitions.increaseTo(5)))
                .all()
                .get();
        try (KafkaProducer<String, String> producer = door.producer()) {
            assertThat(producer.send(new ProducerRecord<>("orders", 4, null, "last"))
                            .get()
                            .offset())
                    .isZero();
        }
        assertThatThrownBy(() -> admin.createPartitions(Map.of("orders", NewPartitions.increaseTo(3)))
                        .all()
                        .get())
                .hasCauseInstanceOf(InvalidPartitionsException.class);
    }

    @Test
    void recordsAreDeletedUpToAnOffset() throws Exception {
        TopicPartition partition = new TopicPartition("orders", 0);
        try (KafkaProducer<String, String> producer = door.producer();
                KafkaConsumer<String, String> consumer = door.consumer("auto.offset.reset=earliest")) {
            for (int i = 0; i < 10; i++) {
                producer.send(new ProducerRecord<>("orders", 0, null, "value " + i))
                        .get();
            }
            DeletedRecords deleted = admin.deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(7)))
                    .lowWatermarks()
                    .get(partition)
                    .get();
            assertThat(deleted.lowWatermark()).isEqualTo(7);
            assertThat(consumer.beginningOffsets(List.of(partition))).containsEntry(partition, 7L);
            // The offset is out of range: the consumer uses its reset policy.
            assertThat(Door.read(consumer, partition, 2, 3))
                    .extracting(record -> record.value())
                    .containsExactly("value 7", "value 8", "value 9");
        }
    }

    @Test
    void theSizeOfPartitionsIsReported() throws Exception {
        try (KafkaProducer<String, String> producer = door.producer()) {
            producer.send(new ProducerRecord<>("orders", 0, null, "x".repeat(5_000)))
                    .get();
        }
        var directories =
                admin.describeLogDirs(List.of(1)).allDescriptions().get().get(1);
        assertThat(directories.values())
                .singleElement()
                .satisfies(directory -> assertThat(directory
                                .replicaInfos()
                                .get(new TopicPartition("orders", 0))
                                .size())
                        .isGreaterThan(5_000));
    }

    @Test
    void requestsForSeveralBrokersAreRefusedWithAReason() {
        assertThatThrownBy(() -> admin.createTopics(List.of(new NewTopic("copies", 1, (short) 3)))
                        .all()
                        .get())
                .hasCauseInstanceOf(InvalidReplicationFactorException.class);
        NewTopic compacted = new NewTopic("compacted", 1, (short) 1).configs(Map.of("cleanup.policy", "compact"));
        assertThatThrownBy(() -> admin.createTopics(List.of(compacted)).all().get())
                .hasCauseInstanceOf(InvalidConfigurationException.class)
                .hasMessageContaining("cleanup.policy");
        try (KafkaProducer<String, String> producer = door.producer("transactional.id=t")) {
            assertThatThrownBy(producer::initTransactions).isInstanceOf(KafkaException.class);
        }
    }
}
