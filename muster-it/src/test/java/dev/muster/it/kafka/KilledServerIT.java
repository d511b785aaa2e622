package dev.muster.it.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.cli.Main;
import dev.muster.it.TestProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code kill -9} of the server while an idempotent producer sends: each record is there once, in order. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class KilledServerIT {
    private static final int ROUNDS = Integer.getInteger("muster.rounds", 3);
    private static final int RECORDS = 3_000;

    @TempDir
    private Path directory;

    @Test
    void anIdempotentProducerWritesEachRecordOnceAcrossKillsOfTheServer() throws Exception {
        long seed = Long.getLong("muster.seed", new Random().nextLong());
        System.out.println("KilledServerIT: -Dmuster.seed=" + seed);
        Random random = new Random(seed);
        Path data = directory.resolve("data");
        TestProcess server = serve(data, 0);
        try {
            int port = port(server);
            AtomicInteger acknowledged = new AtomicInteger();
            List<Future<RecordMetadata>> sent = new ArrayList<>();
            try (KafkaProducer<String, String> producer = Door.producerOf(
                    "127.0.0.1:" + port,
                    "linger.ms=1",
                    "batch.size=2000",
                    "retries=2147483647",
                    "retry.backoff.ms=20",
                    "reconnect.backoff.ms=20",
                    "reconnect.backoff.max.ms=100",
                    "request.timeout.ms=5000",
                    "delivery.timeout.ms=60000")) {
                for (int round = 0; round < ROUNDS; round++) {
                    int killAt = acknowledged.get() + 1 + random.nextInt(RECORDS / 2);
                    for (int i = 0; i < RECORDS; i++) {
                        sent.add(producer.send(
                                new ProducerRecord<>("orders", 0, null, "value " + sent.size()),
                                (done, failure) -> acknowledged.incrementAndGet()));
                        if (acknowledged.get() >= killAt && server.isAlive()) {
                            server.killNow();
                        }
                    }
                    server.close();
                    server = serve(data, port);
                    assertThat(port(server)).isEqualTo(port);
                }
                for (int i = 0; i < sent.size(); i++) {
                    assertThat(sent.get(i).get().offset()).isEqualTo(i);
                }
            }
            try (KafkaConsumer<String, String> consumer = Door.consumerOf("127.0.0.1:" + port)) {
                List<ConsumerRecord<String, String>> read =
                        Door.read(consumer, new TopicPartition("orders", 0), 0, sent.size());
                // A moment more: is there one too many?
                consumer.poll(Duration.ofMillis(300)).forEach(read::add);
                Set<String> values = new HashSet<>();
                for (int i = 0; i < read.size(); i++) {
                    assertThat(read.get(i).value()).isEqualTo("value " + i);
                    values.add(read.get(i).value());
                }
                assertThat(values).hasSize(sent.size());
                assertThat(read).hasSize(sent.size());
            }
        } finally {
            server.close();
        }
    }

    @Test
    void aServerThatIsKilledLeavesItsPlaceToTheNextAndASecondOneBesideItIsRefused() throws Exception {
        Path data = directory.resolve("data");
        try (TestProcess first = serve(data, 0)) {
            port(first);
            try (TestProcess second = serve(data, 0)) {
                assertThat(second.await()).as("exit code").isEqualTo(1);
            }
            first.kill();
            try (TestProcess next = serve(data, 0)) {
                assertThat(port(next)).isPositive();
            }
        }
    }

    private static TestProcess serve(Path data, int port) throws Exception {
        return TestProcess.start(Main.class, "serve", "--data", data, "--listen", "127.0.0.1:" + port);
    }

    private static int port(TestProcess server) throws Exception {
        String ready = server.readLine();
        assertThat(ready).startsWith("ready");
        return Integer.parseInt(ready.replaceFirst(".* at 127\\.0\\.0\\.1:(\\d+) .*", "$1"));
    }
}
