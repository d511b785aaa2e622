package dev.muster.it.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.disk.local.NativeDisk;
import dev.muster.kafka.KafkaServer;
import dev.muster.kafka.config.HostAndPort;
import dev.muster.kafka.config.ServerConfig;
import dev.muster.store.file.FileStore;
import dev.muster.store.file.FileStoreOptions;
import dev.muster.testkit.disk.DiskCall.Kind;
import dev.muster.testkit.disk.DiskFault;
import dev.muster.testkit.disk.FaultyDisk;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A disk that fails one sync, and an idempotent producer, which sends the refused records again. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class FailedSyncIT {
    private static final TopicPartition ORDERS = new TopicPartition("orders", 0);
    private static final String[] IDEMPOTENT = {
        "enable.idempotence=true", "acks=all", "delivery.timeout.ms=30000", "request.timeout.ms=10000", "linger.ms=0"
    };

    @TempDir
    private Path directory;

    @Test
    void afterAFailedSyncEachRecordIsInTheLogOnce() throws Exception {
        FaultyDisk disk = new FaultyDisk(NativeDisk.orFallback());
        try (FileStore store =
                        FileStore.open(directory, FileStoreOptions.defaults().withDisk(disk));
                KafkaServer server = KafkaServer.open(
                        store,
                        ServerConfig.fromMap(Map.of("muster.sync", "commit")),
                        new HostAndPort("127.0.0.1", 0),
                        Optional.empty());
                KafkaProducer<String, String> producer =
                        Door.producerOf(server.advertised().toString(), IDEMPOTENT);
                KafkaConsumer<String, String> consumer =
                        Door.consumerOf(server.advertised().toString())) {
            send(producer, "before");
            disk.arm(DiskFault.at(call -> call.is(Kind.SYNC) && call.isOn(".log")));
            send(producer, "refused once");
            assertThat(disk.fired()).as("syncs that failed").isEqualTo(1);
            send(producer, "after");
            assertThat(Door.read(consumer, ORDERS, 0, 3))
                    .extracting(ConsumerRecord::value)
                    .containsExactly("before", "refused once", "after");
        }
    }

    private static void send(KafkaProducer<String, String> producer, String value) throws Exception {
        producer.send(new ProducerRecord<>(ORDERS.topic(), ORDERS.partition(), null, value))
                .get();
    }
}
