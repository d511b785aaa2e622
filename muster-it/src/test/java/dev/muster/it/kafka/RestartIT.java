package dev.muster.it.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.it.Figures;
import dev.muster.it.OnlyFigures;
import dev.muster.it.Rounds;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The time from the start of a server after a kill to its first acknowledgement. {@code -Dmuster.log.mib} sets the size
 * of the log; the target is a second for 1,024, from the start of the process to the first acknowledgement on all
 * partitions.
 */
@OnlyFigures
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class RestartIT {
    private static final int LOG_MIB = Integer.getInteger("muster.log.mib", 64);
    private static final int PARTITIONS = 4;
    private static final int VALUE_BYTES = 16 << 10;
    private static final double TARGET_MILLIS = 1_000;
    private static final String TOPIC = "orders";

    @TempDir
    private Path directory;

    @Test
    void aServerWithALargeLogAcknowledgesSoonAfterItsStart() throws Exception {
        Path data = directory.resolve("data");
        try (ServerProcess first = ServerProcess.start(data, 0)) {
            fill(first);
        }
        List<Long> readyNanos = new ArrayList<>();
        List<Long> ackNanos = new ArrayList<>();
        List<Long> readyProcessorNanos = new ArrayList<>();
        List<Long> ackProcessorNanos = new ArrayList<>();
        for (int round = 0; round < Rounds.count(3); round++) {
            try (ServerProcess next = ServerProcess.start(data, 0)) {
                readyNanos.add(System.nanoTime() - next.startedNanos());
                readyProcessorNanos.add(next.processorTime().toNanos());
                acknowledge(next.port());
                ackNanos.add(System.nanoTime() - next.startedNanos());
                ackProcessorNanos.add(next.processorTime().toNanos());
                next.kill();
            }
        }
        Figures acks = Figures.of(ackNanos);
        System.out.printf(
                "RestartIT: %d MiB of log; from the start of the process: ready %s (processor time %s); first "
                        + "acknowledgement %s (processor time %s)%n",
                LOG_MIB, Figures.of(readyNanos), Figures.of(readyProcessorNanos), acks, Figures.of(ackProcessorNanos));
        Figures.assertBelow("ms from the start to the first acknowledgement", acks.p50Millis(), TARGET_MILLIS);
    }

    /** Writes the log, and kills the server while the last records are in flight. */
    private static void fill(ServerProcess server) throws Exception {
        try (Admin admin = Admin.create(Door.configuration(server.address()))) {
            admin.createTopics(List.of(new NewTopic(TOPIC, Optional.of(PARTITIONS), Optional.empty())))
                    .all()
                    .get();
        }
        byte[] noise = new byte[VALUE_BYTES / 2];
        new Random(LOG_MIB).nextBytes(noise);
        String value = new String(noise, StandardCharsets.ISO_8859_1);
        long records = ((long) LOG_MIB << 20) / value.getBytes(StandardCharsets.UTF_8).length;
        AtomicLong acknowledged = new AtomicLong();
        try (KafkaProducer<String, String> producer =
                Door.producerOf(server.address(), "batch.size=500000", "linger.ms=5", "max.block.ms=60000")) {
            for (long i = 0; i < records + PARTITIONS; i++) {
                producer.send(
                        new ProducerRecord<>(TOPIC, (int) (i % PARTITIONS), null, value),
                        (done, failure) -> acknowledged.incrementAndGet());
            }
            long deadline = System.nanoTime() + Duration.ofMinutes(2).toNanos();
            while (acknowledged.get() < records / 100 * 99) {
                assertThat(System.nanoTime()).as("time to fill the log").isLessThan(deadline);
                Rounds.letTimePass(1);
            }
            server.kill();
            producer.close(Duration.ZERO);
        }
    }

    /** A new producer writes to all partitions: the server opens each one and reads its producer states. */
    private static void acknowledge(int port) throws Exception {
        try (RawConnection connection = connect(port)) {
            InitProducerIdResponseData given = (InitProducerIdResponseData) connection
                    .send(new InitProducerIdRequestData().setTransactionalId(null), 4)
                    .get(1, TimeUnit.MINUTES);
            assertThat(given.errorCode()).isZero();
            ProduceRequestData request =
                    new ProduceRequestData().setAcks((short) -1).setTimeoutMs(10_000);
            TopicProduceData topic = new TopicProduceData().setName(TOPIC);
            for (int partition = 0; partition < PARTITIONS; partition++) {
                MemoryRecords records = MemoryRecords.withIdempotentRecords(
                        Compression.NONE,
                        given.producerId(),
                        given.producerEpoch(),
                        0,
                        new SimpleRecord(1_000L, null, "back".getBytes(StandardCharsets.UTF_8)));
                topic.partitionData()
                        .add(new PartitionProduceData().setIndex(partition).setRecords(records));
            }
            request.topicData().add(topic);
            ProduceResponseData produced =
                    (ProduceResponseData) connection.send(request, 9).get(1, TimeUnit.MINUTES);
            produced.responses()
                    .forEach(each -> each.partitionResponses()
                            .forEach(told -> assertThat(told.errorCode())
                                    .as(String.format(
                                            Locale.ROOT, "partition %d: %s", told.index(), told.errorMessage()))
                                    .isZero()));
        }
    }

    private static RawConnection connect(int port) throws IOException {
        return new RawConnection(port, "first");
    }
}
