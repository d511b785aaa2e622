package dev.muster.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.TopicPartition;
import dev.muster.embedded.admin.GroupInfo;
import dev.muster.embedded.admin.Groups;
import dev.muster.embedded.internal.OpenMuster;
import dev.muster.store.memory.MemoryStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Seeks of a consumer, and a group as an application sees it. */
@Timeout(300)
class GroupApiTest {
    private static final Duration LONG = Duration.ofMinutes(2);

    private final MemoryStore memory = new MemoryStore();
    private final Muster muster = OpenMuster.over(memory);
    private final Muster other = OpenMuster.over(memory.anotherHost());

    @AfterEach
    void close() {
        other.close();
        muster.close();
    }

    private void send(String topic, int partition, String... values) {
        try (Producer<String, String> producer = muster.producer(topic, Codec.STRING, Codec.STRING)) {
            for (String value : values) {
                producer.send(Message.<String, String>of(value).withPartition(partition));
            }
            producer.flush();
        }
    }

    private static String[] numbers(int from, int to) {
        return IntStream.range(from, to).mapToObj(Integer::toString).toArray(String[]::new);
    }

    private static TopicPartition orders(int partition) {
        return TopicPartition.of("orders", partition);
    }

    @Test
    void seekMovesAllOwnedPartitions() {
        muster.topics().create("orders", 2);
        send("orders", 0, numbers(0, 3));
        send("orders", 1, numbers(3, 5));
        try (GroupConsumer<String, String> consumer = muster.consumer("billing", "orders")
                .keys(Codec.STRING)
                .values(Codec.STRING)
                .open()) {
            List<String> seen = new ArrayList<>();
            long deadline = System.nanoTime() + LONG.toNanos();
            while (seen.size() < 5 && System.nanoTime() - deadline < 0) {
                consumer.poll(Duration.ofSeconds(1)).forEach(record -> seen.add(record.value()));
            }
            assertThat(seen).containsExactlyInAnyOrder("0", "1", "2", "3", "4");
            consumer.seekToStart();
            assertThat(consumer.positions()).isEqualTo(Map.of(orders(0), 0L, orders(1), 0L));
            consumer.seekToEnd();
            assertThat(consumer.positions()).isEqualTo(Map.of(orders(0), 3L, orders(1), 2L));
            consumer.seek(Instant.EPOCH);
            assertThat(consumer.positions()).isEqualTo(Map.of(orders(0), 0L, orders(1), 0L));
            consumer.seek(Instant.now().plusSeconds(3600));
            assertThat(consumer.positions()).isEqualTo(Map.of(orders(0), 3L, orders(1), 2L));
        }
    }

    @Test
    void findShowsTheMembersAndOffsetsOfAGroup() {
        muster.topics().create("orders", 1);
        // No record behind the commit: the member would read it and commit further.
        send("orders", 0, numbers(0, 2));
        Groups groups = other.groups();
        assertThat(groups.find("billing")).isEmpty();
        GroupInfo empty = groups.await("billing", 1, Duration.ofMillis(1));
        assertThat(empty.version()).isZero();
        assertThat(empty.members()).isEmpty();
        muster.groups().reset("billing", new TreeMap<>(Map.of(orders(0), 2L)));
        try (var _ = new PollingMember(muster, "billing", it -> it.id("A"), "orders")) {
            GroupInfo info = groups.await("billing", 0, LONG);
            long deadline = System.nanoTime() + LONG.toNanos();
            while ((info.members().isEmpty()
                            || info.members().getFirst().partitions().isEmpty())
                    && System.nanoTime() - deadline < 0) {
                info = groups.await("billing", info.version(), LONG);
            }
            assertThat(info.name()).isEqualTo("billing");
            assertThat(info.generation()).isPositive();
            assertThat(info.offsets()).containsEntry(orders(0), 2L);
            assertThat(info.members()).singleElement().satisfies(member -> {
                assertThat(member.client()).isEqualTo("A");
                assertThat(member.partitions()).containsExactly(orders(0));
            });
        }
    }
}
