package dev.muster.it.trouble;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The wall clock of a whole machine, or of one process, jumps back and forth under a group of commands and under a
 * server with a Kafka consumer. No member is expelled, all records are delivered, and retention, which is applied after
 * each jump, deletes nothing. Longer with {@code -Dmuster.rounds}.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class ClockJumpTrialIT {
    private static final int ROUNDS = Integer.getInteger("muster.rounds", 1);
    /** First all clocks jump together, then the clock of a single member. */
    private static final List<Jump> JUMPS = List.of(
            Jump.ofAll(Duration.ofDays(30)),
            Jump.ofAll(Duration.ofDays(-30)),
            Jump.ofAll(Duration.ofHours(2)),
            new Jump(Duration.ZERO, Duration.ofDays(30)),
            new Jump(Duration.ZERO, Duration.ofDays(-30)));
    /** The number of keys: both partitions get some of them. */
    private static final int KEYS = 8;
    /**
     * Includes several heartbeats and checks of other members. The session is shorter than every jump and longer than
     * pauses of a machine.
     */
    private static final Duration EXPOSURE = Duration.ofMillis(500);

    private static final Pattern GENERATION = Pattern.compile("\"generation\":(\\d+)");

    /**
     * A jump of the clocks.
     *
     * @param others error of all other clocks
     * @param member error of the second member's clock from then on
     */
    private record Jump(Duration others, Duration member) {
        static Jump ofAll(Duration off) {
            return new Jump(off, off);
        }

        /** A name within a record. */
        String name() {
            return others + "/" + member;
        }
    }

    @TempDir
    private Path folder;

    private WallClock clock;
    private WallClock clockOfOne;
    private MusterCommand muster;
    private final List<String> sent = new ArrayList<>();

    @BeforeEach
    void makeClock() throws Exception {
        Optional<WallClock> made = WallClock.in(folder);
        assumeTrue(made.isPresent(), "this machine cannot compile C: no clock jumps");
        clock = made.get();
        clockOfOne = clock.another();
        muster = clock.of(MusterCommand.on(folder.resolve("data")));
        assertThat(muster.run("topic", "create", "orders", "-P", "2", "--set", "retention.ms=3600000")
                        .exit())
                .isZero();
    }

    @Test
    void membersKeepTheirGenerationWhenTheWallClockJumps() throws Exception {
        try (MusterCommand.Running first = member(clock, "A");
                MusterCommand.Running second = member(clockOfOne, "B");
                MusterCommand.Running producer = producer()) {
            first.err().await(line -> line.contains("A got"));
            second.err().await(line -> line.contains("B got"));
            Map<String, MusterCommand.Running> owners = new HashMap<>();
            for (String record : send(producer, "before")) {
                owners.put(key(record), await(record, first, second));
            }
            assertThat(owners.values()).contains(first, second);
            long generation = generation("workers");
            for (int round = 0; round < ROUNDS; round++) {
                for (Jump jump : JUMPS) {
                    clock.jump(jump.others());
                    clockOfOne.jump(jump.member());
                    for (String record : send(producer, round + "-" + jump.name())) {
                        owners.get(key(record)).out().await(record::equals);
                    }
                    LockSupport.parkNanos(EXPOSURE.toNanos());
                    awaitRoundOfHousekeeping();
                }
            }
            assertThat(first.isAlive() && second.isAlive()).isTrue();
            assertThat(generation("workers"))
                    .as(muster.run("group", "timeline", "workers").text())
                    .isEqualTo(generation);
        }
        assertNothingIsDeleted();
    }

    /** The consumer has the right clock: Kafka's client measures its own session in wall time. */
    @Test
    void kafkaConsumerKeepsItsGenerationWhenTheServersClockJumps() throws Exception {
        try (MusterCommand.Running server = muster.start("serve", "--listen", "127.0.0.1:0", "-o", "json");
                MusterCommand.Running producer = producer()) {
            String ready = server.out().await(line -> line.contains("\"advertised\":\""));
            String address = ready.replaceAll(".*\"advertised\":\"([^\"]+)\".*", "$1");
            Map<String, Object> settings = Map.of(
                    "bootstrap.servers", address,
                    "enable.metrics.push", "false",
                    "group.id", "kafka",
                    "auto.offset.reset", "earliest",
                    "heartbeat.interval.ms", "200",
                    "session.timeout.ms", "60000",
                    "auto.commit.interval.ms", "100");
            try (var consumer = new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
                consumer.subscribe(List.of("orders"));
                await(consumer, send(producer, "before"));
                long generation = consumer.groupMetadata().generationId();
                for (int round = 0; round < ROUNDS; round++) {
                    for (Jump jump : JUMPS) {
                        clock.jump(jump.others());
                        await(consumer, send(producer, round + "-" + jump.name()));
                        long end = System.nanoTime() + EXPOSURE.toNanos();
                        while (System.nanoTime() - end < 0) {
                            assertThat(consumer.poll(Duration.ofMillis(50))).isEmpty();
                        }
                        assertThat(consumer.groupMetadata().generationId())
                                .as("after " + jump)
                                .isEqualTo((int) generation);
                        awaitRoundOfHousekeeping();
                    }
                }
                assertThat(generation("kafka")).isEqualTo(generation);
            }
        }
        assertNothingIsDeleted();
    }

    /**
     * Lets a process apply retention now, with the clock that it has. Rounds run every five minutes: the test sets back
     * the time of the last one, which is on a shared page. The process that begins a round writes its time there.
     */
    private void awaitRoundOfHousekeeping() throws IOException {
        long longAgo = System.nanoTime() - Duration.ofMinutes(10).toNanos();
        try (FileChannel page =
                FileChannel.open(housekeepingPage(), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            ByteBuffer time = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder());
            page.write(time.putLong(0, longAgo), 0);
            long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(3);
            while (time.getLong(0) == longAgo) {
                assertThat(System.nanoTime() - deadline)
                        .as("time to wait for housekeeping")
                        .isNegative();
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
                page.read(time.clear(), 0);
            }
        }
    }

    private Path housekeepingPage() throws IOException {
        try (Stream<Path> files = Files.list(muster.data().resolve(".coordinator"))) {
            return files.filter(file -> file.getFileName().toString().startsWith("housekeeping-"))
                    .filter(file -> !file.toString().endsWith(".tmp"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private MusterCommand.Running member(WallClock itsClock, String id) throws Exception {
        return itsClock.of(MusterCommand.on(muster.data()))
                .start(
                        "consume",
                        "orders",
                        "-g",
                        "workers",
                        "--id",
                        id,
                        "--expect",
                        "2",
                        "--heartbeat",
                        "200ms",
                        "--session",
                        "60s",
                        "-f",
                        "%k:%s\n");
    }

    private MusterCommand.Running producer() throws Exception {
        return muster.start("produce", "orders", "-K", ":", "-o", "jsonl");
    }

    /** Sends a record with each key, and waits until all of them are acknowledged. */
    private List<String> send(MusterCommand.Running producer, String value) throws Exception {
        List<String> records = new ArrayList<>();
        for (int key = 0; key < KEYS; key++) {
            records.add(key + ":" + value);
            producer.type(key + ":" + value);
        }
        sent.addAll(records);
        producer.out().awaitCount(sent.size());
        return records;
    }

    private static String key(String record) {
        return record.substring(0, record.indexOf(':'));
    }

    /** Waits for the member that prints the record. */
    private static MusterCommand.Running await(
            String record, MusterCommand.Running first, MusterCommand.Running second) {
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(3);
        while (System.nanoTime() - deadline < 0) {
            if (first.out().lines().contains(record)) {
                return first;
            }
            if (second.out().lines().contains(record)) {
                return second;
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
        throw new AssertionError(record + " is not delivered: " + first.err().lines()
                + second.err().lines());
    }

    private static void await(KafkaConsumer<String, String> consumer, List<String> records) {
        List<String> missing = new ArrayList<>(records);
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(3);
        while (!missing.isEmpty()) {
            assertThat(System.nanoTime() - deadline).as("missing " + missing).isNegative();
            for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(50))) {
                assertThat(missing.remove(record.key() + ":" + record.value()))
                        .as("delivered once: " + record)
                        .isTrue();
            }
        }
    }

    private long generation(String group) throws Exception {
        String described = muster.run("group", "describe", group, "-o", "json").text();
        Matcher found = GENERATION.matcher(described);
        assertThat(found.find()).as(described).isTrue();
        return Long.parseLong(found.group(1));
    }

    /** Checks that all records exist, and that their timestamps show the jump of the producer's clock. */
    private void assertNothingIsDeleted() throws Exception {
        List<String> read =
                muster.run("consume", "orders", "--exit", "-f", "%k:%s %T\n").out();
        assertThat(read.stream().map(line -> line.substring(0, line.indexOf(' '))))
                .containsExactlyInAnyOrderElementsOf(sent);
        long now = System.currentTimeMillis();
        for (Jump jump : JUMPS) {
            String line = read.stream()
                    .filter(one -> one.startsWith("0:0-" + jump.name() + " "))
                    .findFirst()
                    .orElseThrow();
            assertThat(Long.parseLong(line.substring(line.indexOf(' ') + 1)) - now)
                    .as("clock after " + jump)
                    .isCloseTo(jump.others().toMillis(), within(TimeUnit.MINUTES.toMillis(10)));
        }
    }
}
