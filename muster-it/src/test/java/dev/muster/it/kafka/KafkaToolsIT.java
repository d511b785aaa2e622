package dev.muster.it.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.testkit.kafka.KafkaPeer;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The command-line tools that come with Kafka, as its scripts start them. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class KafkaToolsIT {
    private static final int RECORDS = 2_000;

    @TempDir
    private Path data;

    private Door door;

    @BeforeEach
    void open() throws Exception {
        Programs.requireJars("kafka-tools");
        door = Door.open(data);
        assertThat(topics("--create", "--topic", "orders", "--partitions", "3", "--config", "retention.ms=5000000"))
                .contains("Created topic orders.");
    }

    @AfterEach
    void close() {
        if (door != null) {
            door.close();
        }
    }

    private List<String> tool(String main, String... arguments) throws Exception {
        return ForeignProcess.run(Stream.of(
                        Programs.java("kafka-tools", "org.apache.kafka.tools." + main).stream(),
                        Stream.of("--bootstrap-server", door.address()),
                        Stream.of(arguments))
                .flatMap(words -> words)
                .toList());
    }

    private List<String> topics(String... arguments) throws Exception {
        return tool("TopicCommand", arguments);
    }

    private List<String> groups(String... arguments) throws Exception {
        return tool("consumer.group.ConsumerGroupCommand", arguments);
    }

    /** kafka-configs is part of the broker, not of the other tools. */
    private List<String> configs(String... arguments) throws Exception {
        Optional<Path> jars = KafkaPeer.jars(Path.of(".."));
        if (jars.isEmpty()) {
            Programs.skip("the build could not fetch Kafka's broker, and kafka-configs with it");
        }
        return ForeignProcess.run(Stream.of(
                        Programs.java(jars.get(), "kafka.admin.ConfigCommand").stream(),
                        Stream.of("--bootstrap-server", door.address()),
                        Stream.of(arguments))
                .flatMap(words -> words)
                .toList());
    }

    @Test
    void settingsAreDescribedSetAndReset() throws Exception {
        assertThat(configs("--describe", "--topic", "orders"))
                .anySatisfy(line -> assertThat(line).contains("retention.ms=5000000 sensitive=false"));
        assertThat(configs(
                        "--alter", "--topic", "orders", "--add-config", "retention.ms=7000000,segment.bytes=1048576"))
                .contains("Completed updating config for topic orders.");
        assertThat(configs("--describe", "--topic", "orders"))
                .anySatisfy(line -> assertThat(line).contains("retention.ms=7000000"))
                .anySatisfy(line -> assertThat(line).contains("segment.bytes=1048576"));
        configs("--alter", "--topic", "orders", "--delete-config", "retention.ms");
        assertThat(configs("--describe", "--topic", "orders"))
                .noneSatisfy(line -> assertThat(line).contains("retention.ms="))
                .anySatisfy(line -> assertThat(line).contains("segment.bytes=1048576"));
        assertThat(configs("--describe", "--topic", "orders", "--all"))
                .anySatisfy(line -> assertThat(line).contains("retention.ms=604800000", "DEFAULT_CONFIG"));
        assertThatThrownBy(() -> configs("--alter", "--topic", "orders", "--add-config", "retention.ms=soon"))
                .hasMessageContaining("retention.ms");
    }

    @Test
    void theSettingsOfTheBrokerAreDescribed() throws Exception {
        assertThat(configs("--describe", "--broker", "1", "--all"))
                .anySatisfy(line -> assertThat(line).contains("num.partitions=1 ", "DEFAULT_CONFIG"))
                .anySatisfy(line -> assertThat(line).contains("log.retention.ms=604800000"));
        assertThat(configs("--describe", "--broker", "1"))
                .as("nothing was set while it runs")
                .contains("Dynamic configs for broker 1 are:")
                .noneMatch(line -> line.contains("sensitive="));
        assertThat(configs("--describe", "--broker-defaults"))
                .contains("Default configs for brokers in the cluster are:")
                .noneMatch(line -> line.contains("sensitive="));
    }

    @Test
    void topicsAreDescribedExtendedListedAndDeleted() throws Exception {
        topics("--alter", "--topic", "orders", "--partitions", "4");
        assertThat(topics("--describe", "--topic", "orders"))
                .anySatisfy(line -> assertThat(line).contains("PartitionCount: 4", "retention.ms=5000000"))
                .anySatisfy(line -> assertThat(line).contains("Partition: 3\tLeader: 1\tReplicas: 1\tIsr: 1"));
        assertThat(topics("--list")).contains("orders");
        topics("--delete", "--topic", "orders");
        assertThat(topics("--list")).doesNotContain("orders");
    }

    @Test
    void recordsAreProducedCountedAndConsumedByAGroup() throws Exception {
        String records = Integer.toString(RECORDS);
        List<String> producing = tool(
                "ProducerPerformance",
                "--topic",
                "orders",
                "--num-records",
                records,
                "--record-size",
                "100",
                "--throughput",
                "-1");
        assertThat(producing).last().asString().startsWith(RECORDS + " records sent");
        assertThat(ends()).isEqualTo(RECORDS);
        List<String> consuming = tool(
                "ConsumerPerformance",
                "--topic",
                "orders",
                "--num-records",
                records,
                "--group",
                "perf",
                "--timeout",
                "50000");
        assertThat(consuming).last().asString().contains(", " + RECORDS + ", ");
        assertThat(groups("--list", "--state")).anyMatch(line -> line.matches("perf +Empty *"));
        assertThat(offsets()).hasSize(3).allMatch(row -> row[3].equals(row[4]) && row[5].equals("0"));
        groups("--reset-offsets", "--group", "perf", "--topic", "orders", "--to-earliest", "--execute");
        assertThat(offsets()).hasSize(3).allMatch(row -> row[3].equals("0") && row[5].equals(row[4]));
        assertThat(groups("--delete", "--group", "perf")).anyMatch(line -> line.contains("('perf') was successful"));
        assertThat(groups("--list")).doesNotContain("perf");
    }

    /** The sum of the end offsets of all partitions. */
    private int ends() throws Exception {
        return tool("GetOffsetShell", "--topic", "orders").stream()
                .filter(line -> line.startsWith("orders:"))
                .mapToInt(line -> Integer.parseInt(line.split(":")[2]))
                .sum();
    }

    /** The columns of each partition's line: group, topic, partition, current offset, end, lag and more. */
    private List<String[]> offsets() throws Exception {
        return groups("--describe", "--group", "perf").stream()
                .filter(line -> line.startsWith("perf "))
                .map(line -> line.split(" +"))
                .toList();
    }

    @Test
    void theConsoleProducerAndConsumerUnderstandEachOther() throws Exception {
        ForeignProcess.run(
                Stream.concat(
                                Programs.java("kafka-tools", "org.apache.kafka.tools.ConsoleProducer").stream(),
                                Stream.of("--bootstrap-server", door.address(), "--topic", "orders"))
                        .toList(),
                "hello",
                "world");
        assertThat(tool("consumer.ConsoleConsumer", "--topic", "orders", "--from-beginning", "--max-messages", "2"))
                .contains("hello", "world");
    }
}
