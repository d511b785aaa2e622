package dev.muster.it.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The contract test of Kafka clients. A client is a program. As a producer it sends the lines of its input,
 * {@code key:value} with empty for null, each with the headers {@code tenant=blue} and {@code trace=7}. As a member of
 * a group it prints {@code record partition offset key value headers} for each record, commits printed records, and
 * leaves on SIGTERM.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
abstract class ClientContract {
    static final Duration PATIENCE = Duration.ofMinutes(3);
    static final String TOPIC = "orders";
    static final String GROUP = "workers";
    static final int PARTITIONS = 6;
    /**
     * Much longer than the test's timeouts: a member that is replaced in time has left, and none is expelled on a busy
     * machine.
     */
    private static final String LONG_SESSION = "session.timeout.ms=120000";

    private static final String SHORT_SESSION = "session.timeout.ms=3000";

    static final Duration STAGGER = Duration.ofSeconds(2);

    private static final String HEADERS = "tenant=blue,trace=7";

    @TempDir
    private Path data;

    private Door door;
    private Admin admin;
    private final List<ForeignProcess> members = new ArrayList<>();
    private int produced;

    /** The compressions that this client can do on this machine. */
    abstract List<String> compressions() throws Exception;

    abstract List<String> producing(String address, String topic, String compression);

    /** @param settings the client's settings, with Kafka's names */
    abstract List<String> consuming(String address, String topic, String... settings);

    /** Skips the test, with the reason, if the client is missing. */
    abstract void requireClient() throws Exception;

    @BeforeEach
    void openDoor() throws Exception {
        requireClient();
        door = Door.open(data, "group.min.session.timeout.ms=1000", "group.initial.rebalance.delay.ms=500");
        admin = door.admin();
        create(TOPIC, PARTITIONS);
    }

    @AfterEach
    void closeDoor() {
        members.forEach(ForeignProcess::close);
        if (admin != null) {
            admin.close();
            door.close();
        }
    }

    final void create(String topic, int partitions) throws Exception {
        admin.createTopics(List.of(new NewTopic(topic, partitions, (short) 1)))
                .all()
                .get();
    }

    final ForeignProcess join(String... settings) throws IOException {
        String[] all =
                Stream.concat(Stream.of(LONG_SESSION), Arrays.stream(settings)).toArray(String[]::new);
        ForeignProcess member = ForeignProcess.start(consuming(door.address(), TOPIC, all));
        members.add(member);
        return member;
    }

    /** Produces ten new records for each partition. Returns their values. */
    final Set<String> produce() throws Exception {
        int from = produced;
        produced += 10 * PARTITIONS;
        try (KafkaProducer<String, String> producer = door.producer()) {
            for (int i = from; i < produced; i++) {
                producer.send(new ProducerRecord<>(TOPIC, i % PARTITIONS, "k", "v" + i));
            }
            producer.flush();
        }
        return IntStream.range(from, produced).mapToObj(i -> "v" + i).collect(Collectors.toSet());
    }

    /** Waits until the server describes this number of members with equal shares. */
    final void awaitShared(int count) {
        GroupMember.await(
                PATIENCE,
                () -> describe().filter(group -> isShared(group, count)).isPresent(),
                () -> count + " share, but: " + describe() + "; " + members);
    }

    private static boolean isShared(ConsumerGroupDescription group, int count) {
        return group.groupState() == GroupState.STABLE
                && group.members().size() == count
                && group.members().stream()
                        .allMatch(
                                member -> member.assignment().topicPartitions().size() == PARTITIONS / count);
    }

    /** The description of the group; empty before the first join. */
    final Optional<ConsumerGroupDescription> describe() {
        try {
            return Optional.of(
                    admin.describeConsumerGroups(List.of(GROUP)).all().get().get(GROUP));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof GroupIdNotFoundException) {
                return Optional.empty();
            }
            throw new IllegalStateException(e);
        }
    }

    /** Waits until the members printed these values, each value once, and each member had its share. */
    final void awaitReadOnce(Set<String> values, ForeignProcess... readers) {
        awaitRead(values, readers);
        List<String> read = Arrays.stream(readers)
                .flatMap(reader -> values(reader).stream())
                .filter(values::contains)
                .toList();
        assertThat(read).as("each once").hasSize(values.size());
        for (ForeignProcess reader : readers) {
            assertThat(values(reader).stream().filter(values::contains)).hasSize(values.size() / readers.length);
        }
    }

    final void awaitRead(Set<String> values, ForeignProcess... readers) {
        GroupMember.await(
                PATIENCE,
                () -> {
                    Set<String> read = new HashSet<>();
                    Arrays.stream(readers).forEach(reader -> read.addAll(values(reader)));
                    return read.containsAll(values);
                },
                () -> "all read by " + Arrays.toString(readers));
    }

    /** Lets time pass, so that the members join one after the other. */
    static void letPass(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        for (long left = time.toNanos(); left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    static List<String> values(ForeignProcess reader) {
        return reader.records().stream().map(record -> record.split(" ")[3]).toList();
    }

    @Test
    void recordsOfEveryShapeArriveWithEveryCompression() throws Exception {
        List<String> compressions = compressions();
        System.out.println(getClass().getSimpleName() + ": " + compressions);
        List<String> expected = new ArrayList<>();
        create("shapes", 1);
        for (String compression : compressions) {
            int base = expected.size();
            String words = (compression + "-").repeat(40);
            ForeignProcess.run(
                    producing(door.address(), "shapes", compression), "a:" + words, ":keyless", "deleted:", "b:last");
            expected.add("0 " + base + " a " + words + " " + HEADERS);
            expected.add("0 " + (base + 1) + " NULL keyless " + HEADERS);
            expected.add("0 " + (base + 2) + " deleted NULL " + HEADERS);
            expected.add("0 " + (base + 3) + " b last " + HEADERS);
        }
        try (KafkaConsumer<String, String> judge = door.consumer()) {
            assertThat(Door.read(judge, new TopicPartition("shapes", 0), 0, expected.size()))
                    .extracting(ClientContract::line)
                    .isEqualTo(expected);
        }
        for (String compression : compressions) {
            try (KafkaProducer<String, String> producer = door.producer("compression.type=" + compression)) {
                ProducerRecord<String, String> record =
                        new ProducerRecord<>("shapes", 0, "from", "java-" + compression);
                record.headers().add("by", "java".getBytes(StandardCharsets.UTF_8));
                expected.add("0 " + producer.send(record).get().offset() + " from java-" + compression + " by=java");
            }
        }
        try (ForeignProcess reader = ForeignProcess.start(consuming(door.address(), "shapes"))) {
            GroupMember.await(
                    PATIENCE, () -> reader.records().size() >= expected.size(), () -> "all consumed by " + reader);
            assertThat(reader.records()).isEqualTo(expected);
        }
    }

    private static String line(ConsumerRecord<String, String> record) {
        String headers = StreamSupport.stream(record.headers().spliterator(), false)
                .map(header -> header.key() + "=" + new String(header.value(), StandardCharsets.UTF_8))
                .collect(Collectors.joining(","));
        return record.partition() + " " + record.offset() + " " + (record.key() == null ? "NULL" : record.key()) + " "
                + (record.value() == null ? "NULL" : record.value()) + " " + headers;
    }

    @Test
    void threeConsumersShareAndAReturningOneContinuesAtTheCommit() throws Exception {
        long begin = System.nanoTime();
        ForeignProcess first = join();
        ForeignProcess second = join();
        ForeignProcess third = join();
        awaitShared(3);
        System.out.printf(
                "%s: three share six partitions after %.1f s%n",
                getClass().getSimpleName(), (System.nanoTime() - begin) / 1e9);
        awaitReadOnce(produce(), first, second, third);
        third.leave();
        awaitShared(2);
        awaitReadOnce(produce(), first, second);
        first.leave();
        second.leave();
        GroupMember.await(
                PATIENCE, () -> describe().orElseThrow().members().isEmpty(), () -> "nobody is left in " + describe());
        Set<String> meanwhile = produce();
        ForeignProcess again = join();
        awaitReadOnce(meanwhile, again);
        assertThat(values(again)).as("what was committed does not come again").hasSize(meanwhile.size());
    }

    @Test
    void theOtherConsumersReplaceAKilledOne() throws Exception {
        ForeignProcess first = join(SHORT_SESSION);
        ForeignProcess second = join(SHORT_SESSION);
        awaitShared(2);
        awaitRead(produce(), first, second);
        long begin = System.nanoTime();
        second.kill();
        Set<String> later = produce();
        awaitRead(later, first);
        awaitShared(1);
        System.out.printf(
                "%s: taken over %.1f s after kill -9, with a session of 3 s%n",
                getClass().getSimpleName(), (System.nanoTime() - begin) / 1e9);
    }

    /** A slow test; {@link KafkaGroupIT} always runs it with one client. */
    @Test
    void threeConsumersStartedTwoSecondsApartShareEqually() throws Exception {
        assumeTrue(Integer.getInteger("muster.rounds", 1) > 1, "runs with -Dmuster.rounds=2");
        ForeignProcess first = join();
        letPass(STAGGER);
        ForeignProcess second = join();
        letPass(STAGGER);
        long begin = System.nanoTime();
        ForeignProcess third = join();
        awaitShared(3);
        System.out.printf(
                "%s: the last of three that came one by one has its share after %.1f s%n",
                getClass().getSimpleName(), (System.nanoTime() - begin) / 1e9);
        awaitReadOnce(produce(), first, second, third);
    }
}
