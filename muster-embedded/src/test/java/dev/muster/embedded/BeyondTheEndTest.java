package dev.muster.embedded;

import static dev.muster.embedded.PollingMember.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.core.TopicPartition;
import dev.muster.embedded.internal.OpenMuster;
import dev.muster.store.memory.MemoryStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A group never commits an offset beyond the end of a log: it would skip the records that get those offsets later. */
@Timeout(300)
class BeyondTheEndTest {
    private static final TopicPartition ORDERS = TopicPartition.of("orders", 0);

    private final OpenMuster muster = OpenMuster.over(new MemoryStore());

    @BeforeEach
    void createTopic() {
        muster.topics().create("orders", 1);
    }

    @AfterEach
    void close() {
        muster.close();
    }

    private void send(int from, int to) {
        try (Producer<String, String> producer = muster.producer("orders", Codec.STRING, Codec.STRING)) {
            for (int i = from; i < to; i++) {
                producer.send(Message.of(Integer.toString(i)));
            }
            producer.flush();
        }
    }

    private ConsumerBuilder<String, String> consumer() {
        return muster.consumer("billing", "orders").keys(Codec.STRING).values(Codec.STRING);
    }

    private static void pollUntilOwned(GroupConsumer<String, String> consumer, int partitions) {
        await(partitions + " partitions", () -> {
            assertThat(consumer.poll(Duration.ofMillis(10))).isEmpty();
            return consumer.assignment().partitions().size() == partitions;
        });
    }

    /** Polls until this many records have been returned. */
    private static List<String> pollValues(GroupConsumer<String, String> consumer, int count) {
        List<String> values = new ArrayList<>();
        await(count + " records", () -> {
            consumer.poll(Duration.ofMillis(50)).forEach(record -> values.add(record.value()));
            return values.size() >= count;
        });
        return values;
    }

    @Test
    void afterAStartBeyondTheEndTheEndIsCommitted() {
        send(0, 5);
        try (GroupConsumer<String, String> consumer =
                consumer().from(Start.offset(99_999)).open()) {
            pollUntilOwned(consumer, 1);
            consumer.commit();
            assertThat(consumer.positions()).containsEntry(ORDERS, 5L);
            assertThat(consumer.committed(Set.of(ORDERS))).containsEntry(ORDERS, 5L);
        }
        send(5, 8);
        try (GroupConsumer<String, String> next = consumer().open()) {
            assertThat(pollValues(next, 3)).containsExactly("5", "6", "7");
        }
    }

    @Test
    void afterASeekBeyondTheEndTheEndIsCommitted() {
        send(0, 5);
        try (GroupConsumer<String, String> consumer = consumer().open()) {
            assertThat(pollValues(consumer, 5)).hasSize(5);
            consumer.seek(ORDERS, 99_999);
            consumer.commit();
            assertThat(consumer.committed(Set.of(ORDERS))).containsEntry(ORDERS, 5L);
            assertThat(consumer.poll(Duration.ZERO)).isEmpty();
            consumer.commit();
            assertThat(consumer.positions()).containsEntry(ORDERS, 5L);
            assertThat(consumer.committed(Set.of(ORDERS))).containsEntry(ORDERS, 5L);
            consumer.seek(ORDERS, 99_999);
        }
        send(5, 8);
        try (GroupConsumer<String, String> next = consumer().open()) {
            assertThat(pollValues(next, 3)).containsExactly("5", "6", "7");
        }
    }

    @Test
    void aGivenOffsetBeyondTheEndIsRefused() {
        send(0, 5);
        try (GroupConsumer<String, String> consumer = consumer().open()) {
            assertThat(pollValues(consumer, 5)).hasSize(5);
            assertThatThrownBy(() -> consumer.commit(Map.of(ORDERS, 99_999L)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("99999");
        }
    }
}
