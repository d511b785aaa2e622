package dev.muster.it.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.embedded.GroupConsumer;
import dev.muster.embedded.Muster;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.FencedInstanceIdException;
import org.apache.kafka.common.errors.GroupNotEmptyException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Consumers of Kafka's own client form groups, share partitions, leave and return. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class KafkaGroupIT {
    private static final String TOPIC = "orders";
    private static final int PARTITIONS = 6;
    private static final Duration PATIENCE = Duration.ofMinutes(3);

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
        GroupMember member = new GroupMember(door, TOPIC, options);
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
    @ValueSource(
            strings = {
                "org.apache.kafka.clients.consumer.RangeAssignor",
                "org.apache.kafka.clients.consumer.CooperativeStickyAssignor"
            })
    void threeConsumersShareSixPartitionsAndReadEachRecordOnce(String assignor) throws Exception {
        boolean eager = assignor.endsWith("RangeAssignor");
        if (eager) {
            produce(0, 600);
        }
        String option = "partition.assignment.strategy=" + assignor;
        long begin = System.nanoTime();
        List<GroupMember> three = List.of(join(option), join(option), join(option));
        awaitShared(three, PARTITIONS);
        System.out.printf(
                "three consumers share six partitions (%s): %.0f ms%n",
                assignor.substring(assignor.lastIndexOf('.') + 1), (System.nanoTime() - begin) / 1e6);
        if (!eager) {
            // On any broker, Kafka's own client delivers records twice to a member that keeps its partitions in a
            // rebalance and ends it late.
            produce(0, 600);
        }
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
    void threeConsumersStartedTwoSecondsApartShareEqually() {
        GroupMember first = join("heartbeat.interval.ms=300");
        ClientContract.letPass(ClientContract.STAGGER);
        GroupMember second = join("heartbeat.interval.ms=300");
        ClientContract.letPass(ClientContract.STAGGER);
        long begin = System.nanoTime();
        List<GroupMember> three = List.of(first, second, join("heartbeat.interval.ms=300"));
        GroupMember.await(
                PATIENCE,
                () -> shared(three, PARTITIONS)
                        && three.stream().allMatch(member -> member.assignment().size() == PARTITIONS / 3),
                () -> "two each: " + three);
        System.out.printf(
                "the last of three consumers that came one by one: %.0f ms%n", (System.nanoTime() - begin) / 1e6);
    }

    @Test
    void tenSimultaneousConsumersAllGetPartitions() {
        try (Admin admin = door.admin()) {
            admin.createTopics(List.of(new NewTopic("many", 20, (short) 1)));
        }
        long begin = System.nanoTime();
        List<GroupMember> ten = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            GroupMember member = new GroupMember(door, "many");
            members.add(member);
            ten.add(member);
        }
        awaitShared(ten, 20);
        System.out.printf("ten consumers at once: %.0f ms%n", (System.nanoTime() - begin) / 1e6);
    }

    @Test
    void aSilentMemberLosesItsPartitionsAfterItsSession() {
        GroupMember first = join("session.timeout.ms=6000", "heartbeat.interval.ms=1000");
        GroupMember second = join("session.timeout.ms=6000", "heartbeat.interval.ms=1000");
        awaitShared(List.of(first, second), PARTITIONS);
        second.vanish();
        awaitShared(List.of(first), PARTITIONS);
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
    void theOlderMemberWithTheSameInstanceIdIsFenced() {
        GroupMember first = join("group.instance.id=one", "heartbeat.interval.ms=300");
        awaitShared(List.of(first), PARTITIONS);
        GroupMember twin = join("group.instance.id=one", "heartbeat.interval.ms=300");
        awaitShared(List.of(twin), PARTITIONS);
        GroupMember.await(
                PATIENCE, () -> first.failure() instanceof FencedInstanceIdException, () -> first + " is fenced");
    }

    @Test
    void aCommitOfAnExpelledMemberIsRefused() throws Exception {
        produce(0, 60);
        GroupMember stays = join();
        awaitShared(List.of(stays), PARTITIONS);
        try (KafkaConsumer<String, String> slow = door.consumer("group.id=workers", "max.poll.interval.ms=1000")) {
            slow.subscribe(List.of(TOPIC));
            GroupMember.await(
                    PATIENCE,
                    () -> {
                        slow.poll(Duration.ofMillis(100));
                        return !slow.assignment().isEmpty();
                    },
                    () -> "the slow one has partitions");
            awaitShared(List.of(stays), PARTITIONS);
            Map<TopicPartition, OffsetAndMetadata> offsets =
                    Map.of(slow.assignment().iterator().next(), new OffsetAndMetadata(1));
            assertThatThrownBy(() -> slow.commitSync(offsets)).isInstanceOf(CommitFailedException.class);
        }
    }

    @Test
    void toolsSeeGroupsAndTheirOffsets() throws Exception {
        produce(0, 60);
        GroupMember member = join("client.id=clerk");
        GroupMember.await(PATIENCE, () -> member.count() == 60, () -> "read by " + member);
        try (Admin admin = door.admin()) {
            var described = admin.describeConsumerGroups(List.of(GroupMember.GROUP))
                    .all()
                    .get()
                    .get(GroupMember.GROUP);
            assertThat(described.groupState()).isEqualTo(GroupState.STABLE);
            assertThat(described.members()).singleElement().satisfies(one -> {
                assertThat(one.clientId()).isEqualTo("clerk");
                assertThat(one.assignment().topicPartitions()).hasSize(PARTITIONS);
            });
            assertThat(admin.listGroups().all().get())
                    .singleElement()
                    .satisfies(one -> assertThat(one.groupId()).isEqualTo(GroupMember.GROUP));
            assertThatThrownBy(() -> admin.deleteConsumerGroups(List.of(GroupMember.GROUP))
                            .all()
                            .get())
                    .hasCauseInstanceOf(GroupNotEmptyException.class);
            member.close();
            TopicPartition first = new TopicPartition(TOPIC, 0);
            admin.alterConsumerGroupOffsets(GroupMember.GROUP, Map.of(first, new OffsetAndMetadata(3, "by hand")))
                    .all()
                    .get();
            assertThat(admin.listConsumerGroupOffsets(GroupMember.GROUP)
                            .partitionsToOffsetAndMetadata()
                            .get())
                    .hasSize(PARTITIONS)
                    .containsEntry(first, new OffsetAndMetadata(3, "by hand"));
            admin.deleteConsumerGroupOffsets(GroupMember.GROUP, Set.of(first))
                    .all()
                    .get();
            admin.deleteConsumerGroups(List.of(GroupMember.GROUP)).all().get();
            assertThat(admin.listGroups().all().get()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    void aCommitBeyondTheEndIsLoweredToTheEnd(String protocol) throws Exception {
        produce(0, 30);
        TopicPartition first = new TopicPartition(TOPIC, 0);
        Map<TopicPartition, OffsetAndMetadata> beyond = Map.of(first, new OffsetAndMetadata(99_999, "far"));
        try (KafkaConsumer<String, String> consumer = door.consumer("group.id=workers", "group.protocol=" + protocol)) {
            consumer.subscribe(List.of(TOPIC));
            GroupMember.await(
                    PATIENCE,
                    () -> {
                        consumer.poll(Duration.ofMillis(50));
                        return consumer.assignment().size() == PARTITIONS;
                    },
                    () -> "the member has all partitions");
            consumer.commitSync(beyond);
            assertThat(consumer.committed(Set.of(first))).containsEntry(first, new OffsetAndMetadata(5, "far"));
        }
        try (Admin admin = door.admin()) {
            admin.alterConsumerGroupOffsets("tools", beyond).all().get();
            assertThat(admin.listConsumerGroupOffsets("tools")
                            .partitionsToOffsetAndMetadata()
                            .get())
                    .containsEntry(first, new OffsetAndMetadata(5, "far"));
        }
    }

    @Test
    void toolsSeeMembersOfTheLibrary() throws Exception {
        try (Muster muster = Muster.open(data);
                GroupConsumer<byte[], byte[]> consumer =
                        muster.consumer("embedded", TOPIC).id("inside").open();
                Admin admin = door.admin()) {
            GroupMember.await(
                    PATIENCE,
                    () -> {
                        consumer.poll(Duration.ofMillis(50));
                        return consumer.assignment().partitions().size() == PARTITIONS;
                    },
                    () -> "the embedded member has all partitions");
            var described =
                    admin.describeClassicGroups(List.of("embedded")).all().get().get("embedded");
            assertThat(described.members())
                    .singleElement()
                    .satisfies(one ->
                            assertThat(one.assignment().topicPartitions()).hasSize(PARTITIONS));
        }
    }
}
