package dev.muster.engine.group.view;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.CompressionKind;
import dev.muster.core.Topic;
import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import dev.muster.core.TopicSettings;
import dev.muster.core.group.Group;
import dev.muster.core.group.command.Entry;
import dev.muster.core.group.command.Event;
import dev.muster.core.group.model.CommittedOffset;
import dev.muster.core.group.model.HostId;
import dev.muster.core.group.model.TopicShape;
import dev.muster.store.batch.BatchBuilder;
import dev.muster.store.batch.BatchHeader;
import dev.muster.store.memory.MemoryStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The lag of a group, with a clock that does not move. */
class GroupLagTest {
    private static final TopicName ORDERS = new TopicName("orders");
    private static final TopicPartition PARTITION = TopicPartition.of("orders", 0);
    private static final long NOW = 1_700_000_000_000L;

    private final MemoryStore store = new MemoryStore();
    private final Topic topic = store.create(ORDERS, 1, TopicSettings.DEFAULT);

    @Test
    void lagTimeIsTheAgeOfTheOldestUnreadRecord() {
        append(NOW - 60_004);
        append(NOW - 60_000);
        assertThat(behind(0)).contains(Duration.ofMillis(60_004));
        assertThat(behind(1)).contains(Duration.ofMinutes(1));
    }

    @Test
    void lagTimeIsZeroWithoutUnreadRecords() {
        append(NOW - 60_000);
        assertThat(behind(1)).contains(Duration.ZERO);
    }

    /** The clock of a producer may be ahead: no record has a negative age. */
    @Test
    void aRecordFromTheFutureHasAgeZero() {
        append(NOW + 5_000);
        assertThat(behind(0)).contains(Duration.ZERO);
    }

    @Test
    void aRecordWithoutTimestampHasNoAge() {
        append(-1);
        assertThat(behind(0)).isEmpty();
    }

    /** Logs of earlier versions may hold any time. */
    @Test
    void lagTimeDoesNotOverflowAtTheEdgesOfLong() {
        append(Long.MAX_VALUE);
        append(Long.MIN_VALUE);
        append(Long.MIN_VALUE + 1);
        assertThat(behind(0)).contains(Duration.ZERO);
        assertThat(behind(1)).isEmpty();
        assertThat(behind(2)).isEmpty();
    }

    private void append(long timestamp) {
        BatchBuilder batch = new BatchBuilder(new byte[200], CompressionKind.NONE);
        assertThat(batch.tryAppend(timestamp, null, new byte[] {1}, List.of())).isTrue();
        store.log(topic.id(), 0).append(batch.finish(BatchHeader.NO_PRODUCER, (short) -1, -1));
    }

    private Optional<Duration> behind(long committed) {
        Group group = Group.empty()
                .apply(new Entry(
                        1,
                        new HostId("test"),
                        List.of(
                                new Event.TopicsChanged(new TreeMap<>(Map.of(ORDERS, new TopicShape(topic.id(), 1)))),
                                new Event.OffsetsReset(
                                        new TreeMap<>(Map.of(PARTITION, new CommittedOffset(committed)))))));
        return GroupLag.in(store, group, NOW).getFirst().behind();
    }
}
