package dev.muster.it.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.TopicName;
import dev.muster.embedded.Codec;
import dev.muster.embedded.GroupConsumer;
import dev.muster.embedded.Muster;
import dev.muster.embedded.admin.AdminReason;
import dev.muster.embedded.internal.GroupInspection;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.SubscriptionPattern;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.GroupType;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Consumers of Kafka's own client that speak the new group protocol (KIP-848), alone and beside embedded members. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class ModernGroupIT {
    private static final String TOPIC = "orders";
    private static final int PARTITIONS = 6;
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final String PROTOCOL = "group.protocol=consumer";

    @TempDir
    private Path data;

    private Door door;
    private final List<GroupMember> members = new ArrayList<>();

    @BeforeEach
    void openDoor() throws Exception {
        door = Door.open(data);
        try (Admin admin = door.admin()) {
            admin.createTopics(List.of(new NewTopic(TOPIC, PARTITIONS, (short) 1)))
                    .all()
                    .get();
        }
    }

    @AfterEach
    void closeDoor() {
        members.forEach(GroupMember::close);
        door.close();
    }

    private GroupMember join(String... options) {
        List<String> all = new ArrayList<>(List.of(PROTOCOL));
        all.addAll(List.of(options));
        GroupMember member = new GroupMember(door, TOPIC, all.toArray(String[]::new));
        members.add(member);
        return member;
    }

    private void produce(int from, int to) throws Exception {
        try (KafkaProducer<String, String> producer = door.producer()) {
            for (int i = from; i < to; i++) {
                producer.send(new ProducerRecord<>(TOPIC, i % PARTITIONS, null, Integer.toString(i)));
            }
            producer.flush();
        }
    }

    private static void awaitShared(List<GroupMember> members, int partitions) {
        GroupMember.await(PATIENCE, () -> shared(members, partitions), () -> "shared by " + members);
    }

    private static boolean shared(List<GroupMember> members, int partitions) {
        Set<TopicPartition> all = new HashSet<>();
        int count = 0;
        for (GroupMember member : members) {
            Set<TopicPartition> owned = member.assignment();
            if (owned.isEmpty()) {
                return false;
            }
            count += owned.size();
            all.addAll(owned);
        }
        return count == partitions && all.size() == partitions;
    }

    @ParameterizedTest
    @ValueSource(strings = {"uniform", "range"})
    void threeConsumersShareSixPartitionsAndReadEachRecordOnce(String assignor) throws Exception {
        produce(0, 600);
        String option = "group.remote.assignor=" + assignor;
        long begin = System.nanoTime();
        List<GroupMember> three = List.of(join(option), join(option), join(option));
        awaitShared(three, PARTITIONS);
        System.out.printf(
                "three consumers share six partitions (%s): %.0f ms%n", assignor, (System.nanoTime() - begin) / 1e6);
        produce(600, 1200);
        GroupMember.await(
                PATIENCE,
                () -> three.stream().mapToInt(GroupMember::count).sum() >= 1200,
                () -> "all records read by " + three);
        Map<String, Integer> times = new HashMap<>();
        three.forEach(member -> member.values().forEach(value -> times.merge(value, 1, Integer::sum)));
        assertThat(times)
                .hasSize(1200)
                .containsKeys(
                        IntStream.range(0, 1200).mapToObj(Integer::toString).toArray(String[]::new));
        assertThat(times.values()).allMatch(count -> count == 1);
    }

    @Test
    void aLeavingConsumerIsReplacedAndContinuesLaterAtTheCommit() throws Exception {
        produce(0, 300);
        GroupMember first = join();
        GroupMember second = join();
        awaitShared(List.of(first, second), PARTITIONS);
        GroupMember.await(PATIENCE, () -> first.count() + second.count() == 300, () -> first + " and " + second);
        second.close();
        awaitShared(List.of(first), PARTITIONS);
        first.close();
        produce(300, 360);
        GroupMember third = join();
        GroupMember.await(PATIENCE, () -> third.count() >= 60, () -> "what is new read by " + third);
        assertThat(third.values()).hasSize(60).allMatch(value -> Integer.parseInt(value) >= 300);
    }

    @Test
    void tenSimultaneousConsumersAllGetPartitions() throws Exception {
        try (Admin admin = door.admin()) {
            admin.createPartitions(Map.of(TOPIC, NewPartitions.increaseTo(20)))
                    .all()
                    .get();
        }
        long begin = System.nanoTime();
        List<GroupMember> ten = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            ten.add(join());
        }
        awaitShared(ten, 20);
        System.out.printf("ten consumers at once: %.0f ms%n", (System.nanoTime() - begin) / 1e6);
    }

    @Test
    void aDisconnectedMemberIsReplacedBeforeItsSessionExpires() {
        GroupMember first = join();
        GroupMember second = join();
        awaitShared(List.of(first, second), PARTITIONS);
        long begin = System.nanoTime();
        second.vanish();
        awaitShared(List.of(first), PARTITIONS);
        Duration took = Duration.ofNanos(System.nanoTime() - begin);
        System.out.printf("taken over from one whose connection was lost: %d ms%n", took.toMillis());
        // The server's default is a session of 45 s.
        assertThat(took).isLessThan(Duration.ofSeconds(40));
    }

    @Test
    void aStaticMemberComesBackWithoutARebalance() {
        GroupMember first = join("group.instance.id=one");
        GroupMember second = join("group.instance.id=two");
        awaitShared(List.of(first, second), PARTITIONS);
        Set<TopicPartition> before = second.assignment();
        int rebalances = first.rebalances();
        second.close();
        GroupMember again = join("group.instance.id=two");
        GroupMember.await(PATIENCE, () -> again.assignment().equals(before), () -> again + " has " + before + " again");
        assertThat(first.rebalances()).isEqualTo(rebalances);
    }

    @Test
    void aPatternMatchesTopicsThatAreCreatedLater() throws Exception {
        try (KafkaConsumer<String, String> consumer =
                        door.consumer("group.id=patterns", PROTOCOL, "auto.offset.reset=earliest");
                Admin admin = door.admin()) {
            consumer.subscribe(new SubscriptionPattern("ord.*"));
            awaitPartitions(consumer, PARTITIONS);
            admin.createTopics(List.of(new NewTopic("ordinary", 2, (short) 1), new NewTopic("else", 1, (short) 1)))
                    .all()
                    .get();
            awaitPartitions(consumer, PARTITIONS + 2);
        }
    }

    private static void awaitPartitions(KafkaConsumer<String, String> consumer, int count) {
        GroupMember.await(
                PATIENCE,
                () -> {
                    consumer.poll(Duration.ofMillis(20));
                    return consumer.assignment().size() == count;
                },
                () -> count + " partitions, not " + consumer.assignment());
    }

    @Test
    void toolsSeeTheGroupAndItsOffsets() throws Exception {
        produce(0, 60);
        GroupMember member = join("client.id=clerk");
        GroupMember.await(PATIENCE, () -> member.count() == 60, () -> "read by " + member);
        try (Admin admin = door.admin()) {
            var described = admin.describeConsumerGroups(List.of(GroupMember.GROUP))
                    .all()
                    .get()
                    .get(GroupMember.GROUP);
            assertThat(described.type()).isEqualTo(GroupType.CONSUMER);
            assertThat(described.groupState()).isEqualTo(GroupState.STABLE);
            assertThat(described.members()).singleElement().satisfies(one -> {
                assertThat(one.clientId()).isEqualTo("clerk");
                assertThat(one.assignment().topicPartitions()).hasSize(PARTITIONS);
            });
            assertThat(admin.listGroups().all().get())
                    .singleElement()
                    .satisfies(one -> assertThat(one.type()).contains(GroupType.CONSUMER));
            member.close();
            assertThat(admin.listConsumerGroupOffsets(GroupMember.GROUP)
                            .partitionsToOffsetAndMetadata()
                            .get())
                    .hasSize(PARTITIONS)
                    .allSatisfy(
                            (partition, offset) -> assertThat(offset.offset()).isEqualTo(10));
            admin.deleteConsumerGroups(List.of(GroupMember.GROUP)).all().get();
            assertThat(admin.listGroups().all().get()).isEmpty();
        }
    }

    @Test
    void embeddedAndNetworkMembersShareOneGroup() throws Exception {
        produce(0, 600);
        try (Muster muster = Muster.open(data);
                EmbeddedReader inside = new EmbeddedReader(muster)) {
            GroupMember.await(PATIENCE, () -> inside.owned() == PARTITIONS, () -> "all inside");
            GroupMember first = join();
            GroupMember second = join();
            List<GroupMember> outside = List.of(first, second);
            GroupMember.await(
                    PATIENCE,
                    () -> inside.owned() == 2 && shared(outside, 4),
                    () -> "two each: " + inside.owned() + " inside, " + outside);
            produce(600, 1200);
            GroupMember.await(
                    PATIENCE,
                    () -> inside.values().size() + first.count() + second.count() >= 1200,
                    () -> "all read: " + inside.values().size() + " inside, " + outside);
            Map<String, Integer> times = new HashMap<>();
            inside.values().forEach(value -> times.merge(value, 1, Integer::sum));
            outside.forEach(member -> member.values().forEach(value -> times.merge(value, 1, Integer::sum)));
            assertThat(times).hasSize(1200);
            assertThat(times.values()).allMatch(count -> count == 1);
            first.close();
            GroupMember.await(
                    PATIENCE,
                    () -> inside.owned() == 3 && second.assignment().size() == 3,
                    () -> "three each: " + inside.owned() + " inside, " + second);
        }
        awaitShared(List.of(members.getLast()), PARTITIONS);
    }

    @ParameterizedTest
    @ValueSource(strings = {"true", "false"})
    void aLiveResetReachesMembersOfEitherKind(String autoCommit) throws Exception {
        produce(0, 600);
        try (Muster muster = Muster.open(data);
                EmbeddedReader inside = new EmbeddedReader(muster)) {
            GroupMember outside = join("enable.auto.commit=" + autoCommit, "auto.commit.interval.ms=50");
            GroupMember.await(
                    PATIENCE,
                    () -> inside.owned() == 3 && outside.assignment().size() == 3,
                    () -> "three each: " + inside.owned() + " inside, " + outside);
            GroupMember.await(
                    PATIENCE,
                    () -> distinct(inside.values(), outside.values()) == 600,
                    () -> "all read: " + inside.values().size() + " inside, " + outside);
            int before = inside.values().size() + outside.count();
            long begin = System.nanoTime();
            TreeMap<dev.muster.core.TopicPartition, Long> offsets = new TreeMap<>();
            for (int i = 0; i < PARTITIONS; i++) {
                offsets.put(new dev.muster.core.TopicPartition(new TopicName(TOPIC), i), 90L);
            }
            muster.groups().resetLive(GroupMember.GROUP, offsets, AdminReason.of("somebody"));
            // Ten records of each partition once more.
            GroupMember.await(
                    PATIENCE,
                    () -> inside.values().size() + outside.count() >= before + 10 * PARTITIONS,
                    () -> "read again: " + inside.values().size() + " inside, " + outside + " of " + before);
            System.out.printf(
                    "a live reset is followed by both kinds of members: %.0f ms%n", (System.nanoTime() - begin) / 1e6);
            assertThat(inside.owned()).isEqualTo(3);
            assertThat(outside.assignment()).hasSize(3);
            assertThat(outside.failure()).isNull();
            assertThat(inside.values().size() + outside.count()).isEqualTo(before + 10 * PARTITIONS);
            var group = GroupInspection.of(muster).state(GroupMember.GROUP).orElseThrow();
            assertThat(group.history().getLast().cause()).startsWith("reset by somebody: orders-0 to 90");
            assertThat(group.offsets().values())
                    .allSatisfy(commit -> assertThat(commit.offset().offset()).isBetween(90L, 100L));
        }
    }

    private static int distinct(List<String> some, List<String> others) {
        Set<String> all = new HashSet<>(some);
        all.addAll(others);
        return all.size();
    }

    /** An embedded member that polls in a thread of its own and commits what it has read. */
    private static final class EmbeddedReader implements AutoCloseable {
        private final GroupConsumer<String, String> consumer;
        private final List<String> values = Collections.synchronizedList(new ArrayList<>());
        private final Thread thread;
        private volatile boolean ends;

        EmbeddedReader(Muster muster) {
            consumer = muster.consumer(GroupMember.GROUP, TOPIC)
                    .keys(Codec.STRING)
                    .values(Codec.STRING)
                    .open();
            thread = Thread.ofPlatform().daemon().name("embedded-member").start(() -> {
                while (!ends) {
                    consumer.poll(Duration.ofMillis(50)).forEach(record -> values.add(record.value()));
                }
            });
        }

        int owned() {
            return consumer.assignment().partitions().size();
        }

        List<String> values() {
            return List.copyOf(values);
        }

        @Override
        public void close() {
            ends = true;
            consumer.wakeup();
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            consumer.close();
        }
    }
}
