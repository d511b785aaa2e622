package dev.muster.embedded;

import static dev.muster.embedded.PollingMember.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.TopicPartition;
import dev.muster.store.memory.MemoryStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Members of groups in several simulated processes over one memory. */
@Timeout(120)
class GroupTest {
    private final MemoryStore first = new MemoryStore();
    private final List<AutoCloseable> open = new ArrayList<>();
    private Muster muster;

    @BeforeEach
    void open() {
        muster = Muster.over(first);
        open.add(muster);
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable one : open.reversed()) {
            one.close();
        }
    }

    private PollingMember member(Muster in, UnaryOperator<ConsumerBuilder<String, String>> choices) {
        PollingMember member = new PollingMember(in, "billing", choices, "orders");
        open.add(member);
        return member;
    }

    private PollingMember member(Muster in, String name) {
        return member(in, it -> it.id(name));
    }

    /** Another process on the same memory. */
    private Muster another() {
        Muster other = Muster.over(first.anotherHost());
        open.add(other);
        return other;
    }

    private void send(String topic, int partition, String value) {
        try (Producer<String, String> producer = muster.producer(topic, Codec.STRING, Codec.STRING)) {
            producer.send(Message.<String, String>of(value).withPartition(partition))
                    .join();
        }
    }

    @Test
    void membersShareThePartitionsAndOneThatClosesGivesItsOwnBack() {
        muster.topics().create("orders", 4);
        PollingMember a = member(muster, "A");
        PollingMember b = member(another(), "B");
        await("A and B have two each", () -> a.owned().size() == 2 && b.owned().size() == 2);
        Set<TopicPartition> all = new TreeSet<>(a.owned());
        all.addAll(b.owned());
        assertThat(all).hasSize(4);
        PollingMember c = member(another(), "C");
        await(
                "C has one",
                () -> c.owned().size() == 1 && a.owned().size() + b.owned().size() == 3);
        for (int partition = 0; partition < 4; partition++) {
            send("orders", partition, "to " + partition);
        }
        await("all four are read", () -> a.records.size() + b.records.size() + c.records.size() == 4);
        b.close();
        await("A and C have all", () -> a.owned().size() + c.owned().size() == 4);
    }
}
