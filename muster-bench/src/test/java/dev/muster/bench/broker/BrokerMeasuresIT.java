package dev.muster.bench.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.bench.broker.ConsumeMeasure.Consumed;
import dev.muster.bench.broker.GroupMeasure.Formed;
import dev.muster.bench.broker.ProduceMeasure.Produced;
import dev.muster.cli.Main;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Each measure of the comparison with Kafka, as small as possible and on a Muster server alone. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class BrokerMeasuresIT {
    private static final long SEED = 7;

    @TempDir
    private static Path folder;

    private static Broker broker;
    private static Rival muster;

    @BeforeAll
    static void startMuster() throws Exception {
        broker = Broker.muster(
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:-UsePerfData",
                        "-Xlog:disable",
                        "-Xlog:all=warning:stderr",
                        "--enable-native-access=ALL-UNNAMED",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Main.class.getName()),
                Map.of(),
                folder);
        muster = new Rival("Muster", broker, Map.of("muster.sync", "os"));
        assertThat(broker.process().start()).isPositive();
    }

    @AfterAll
    static void stopMuster() {
        broker.close();
    }

    private static Produced produce(BrokerTopic topic) throws Exception {
        return new ProduceMeasure(2, 100, Duration.ofSeconds(10), 500, SEED).run(muster, topic);
    }

    @Test
    void everyProducedRecordIsConsumed() throws Exception {
        try (BrokerTopic topic = muster.newTopic(3)) {
            Produced produced = produce(topic);
            assertThat(produced.acknowledgedByWriter()).containsExactly(500, 500);
            Consumed consumed = new ConsumeMeasure(100, Duration.ZERO).run(muster, topic, produced);
            assertThat(consumed.records()).isEqualTo(1000);
        }
    }

    @Test
    void aMissingRecordFailsTheMeasure() throws Exception {
        try (BrokerTopic topic = muster.newTopic(3)) {
            produce(topic);
            ConsumeMeasure measure = new ConsumeMeasure(100, Duration.ZERO);
            assertThatThrownBy(() -> measure.run(muster, topic, 501, 500))
                    .isInstanceOf(CheckFailedException.class)
                    .hasMessageContaining("1001 records were acknowledged");
            assertThatThrownBy(() -> measure.run(muster, topic, 501, 499))
                    .isInstanceOf(CheckFailedException.class)
                    .hasMessageContaining("record 500 was acknowledged and is not there");
        }
    }

    @Test
    void latenciesExcludeTheWarmUp() throws Exception {
        try (BrokerTopic topic = muster.newTopic(1)) {
            assertThat(new LatencyMeasure(100, 1000, 10, 90, SEED).run(topic).getTotalCount())
                    .isEqualTo(90);
        }
    }

    @Test
    void aGroupFormsAndOneMoreJoins() throws Exception {
        Formed formed = new GroupMeasure(2, Duration.ofMillis(100), Duration.ZERO).run(muster);
        assertThat(formed.millis()).isPositive();
        assertThat(formed.oneMoreMillis()).isPresent();
    }

    @Test
    void commitsAreCountedAndTheLastOneIsStored() throws Exception {
        assertThat(new CommitMeasure(2, 2, Duration.ofMillis(100))
                        .run(muster)
                        .latencies()
                        .getTotalCount())
                .isPositive();
    }

    @Test
    void aTopicIsUsableWhenEveryPartitionTookARecord() throws Exception {
        assertThat(new PartitionsMeasure(20).run(muster)).isPositive();
    }

    @Test
    void aKilledServerAcknowledgesAgainAndHasLostNothing() throws Exception {
        long before = broker.process().pid();
        assertThat(new RestartMeasure(1, SEED).run(muster)).isPositive();
        assertThat(broker.process().pid()).isNotEqualTo(before);
    }

    @Test
    void processorTimeAndMemoryOfAServerAreKnown() {
        assertThat(broker.status().residentMib()).isGreaterThan(10);
        assertThat(broker.status().proportionalMib()).isGreaterThan(10);
        assertThat(broker.status().processorTime()).isPositive();
    }
}
