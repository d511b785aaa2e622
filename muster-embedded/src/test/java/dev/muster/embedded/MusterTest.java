package dev.muster.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.core.Header;
import dev.muster.core.InvalidNameException;
import dev.muster.core.MusterException;
import dev.muster.core.SyncLevel;
import dev.muster.core.Topic;
import dev.muster.embedded.admin.PartitionInfo;
import dev.muster.embedded.admin.Topics;
import dev.muster.store.RecordTimestampException;
import dev.muster.store.StoreClosedException;
import dev.muster.store.TopicExistsException;
import dev.muster.store.TopicNotFoundException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class MusterTest {
    private final Muster muster = Muster.inMemory();

    @AfterEach
    void close() {
        muster.close();
    }

    @Test
    void aSentRecordIsRead() {
        muster.topics().create("orders", 2);
        try (Producer<String, Long> producer = muster.producer("orders", Codec.STRING, Codec.LONG);
                Reader<String, Long> reader = muster.reader("orders", Codec.STRING, Codec.LONG)) {
            Position position = producer.send("cust-7", 42L).join();
            Received<String, Long> received =
                    reader.poll(Duration.ofSeconds(10)).getFirst();
            assertThat(received.key()).isEqualTo("cust-7");
            assertThat(received.value()).isEqualTo(42L);
            assertThat(new Position(
                            received.topic(), received.partition(), received.offset(), received.timestampMillis()))
                    .isEqualTo(position);
            assertThat(position).hasToString("orders-" + position.partition() + "@0");
        }
    }

    @Test
    void aTimestampOutsideTheAllowedRangeIsRefused() {
        muster.topics().create("orders", 1);
        try (Producer<String, String> producer = muster.producer("orders", Codec.STRING, Codec.STRING)) {
            Instant twoHoursAhead = Instant.now().plus(Duration.ofHours(2));
            for (Instant time : List.of(
                    twoHoursAhead,
                    Instant.MAX,
                    Instant.MIN,
                    Instant.ofEpochMilli(Long.MIN_VALUE),
                    Instant.EPOCH.minusSeconds(1))) {
                assertThatThrownBy(() ->
                                producer.send(Message.<String, String>of("v").withTimestamp(time)))
                        .isInstanceOf(RecordTimestampException.class)
                        .hasMessageContaining("is outside the range that topic \"orders\" allows");
            }
            assertThat(producer.send(Message.<String, String>of("v").withTimestamp(Instant.EPOCH))
                            .join()
                            .offset())
                    .isZero();
        }
        assertThat(muster.topics().offsetAt("orders", 0, Instant.MAX)).isEmpty();
        assertThat(muster.topics().offsetAt("orders", 0, Instant.MIN))
                .hasValueSatisfying(found -> assertThat(found.offset()).isZero());
    }

    @Test
    void aMessageKeepsItsPartitionTimestampAndHeaders() {
        muster.topics().create("orders", 3);
        Instant time = Instant.ofEpochMilli(1_234_567);
        try (Producer<String, String> producer = muster.producer("orders", Codec.STRING, Codec.STRING)) {
            Message<String, String> message = Message.<String, String>of("v")
                    .withPartition(2)
                    .withTimestamp(time)
                    .withHeader("trace", new byte[] {1})
                    .withHeader("trace", null);
            producer.send(message).join();
            producer.send("key", null).join();
        }
        try (Reader<String, String> reader = muster.reader("orders", Codec.STRING, Codec.STRING)) {
            Received<String, String> received = reader.poll(Duration.ofSeconds(10)).stream()
                    .filter(r -> r.value() != null)
                    .findFirst()
                    .orElseThrow();
            assertThat(received.partition()).isEqualTo(2);
            assertThat(received.timestamp()).isEqualTo(time);
            assertThat(received.key()).isNull();
            assertThat(received.headers())
                    .isEqualTo(List.of(new Header("trace", new byte[] {1}), new Header("trace", null)));
        }
    }

    @Test
    void topicsAreCreatedShownChangedAndDeleted() {
        Topics topics = muster.topics();
        Topic made = topics.create("b", 2);
        topics.create("a", 1);
        assertThatThrownBy(() -> topics.create("b", 1)).isInstanceOf(TopicExistsException.class);
        assertThat(topics.list()).extracting(t -> t.name().value()).containsExactly("a", "b");
        assertThat(topics.describe("b")).isEqualTo(made);
        assertThat(topics.addPartitions("b", 4).partitions()).isEqualTo(4);
        assertThat(topics.alter("b", Map.of("muster.sync", "os")).settings().sync())
                .isEqualTo(SyncLevel.OS);
        assertThat(topics.alter("b", Map.of("retention.ms", "1000")).settings().sync())
                .isEqualTo(SyncLevel.OS);
        assertThatThrownBy(() -> topics.alter("b", Map.of("no.such.key", "1"))).isInstanceOf(MusterException.class);
        topics.delete("b");
        assertThat(topics.find("b")).isEmpty();
        assertThatThrownBy(() -> topics.describe("b")).isInstanceOf(TopicNotFoundException.class);
        assertThatThrownBy(() -> topics.create("../b", 1)).isInstanceOf(InvalidNameException.class);
    }

    @Test
    void ensureCreatesATopicOnceAndThenLeavesIt() {
        Topics topics = muster.topics();
        Topic made = topics.ensure(
                "orders",
                t -> t.partitions(3)
                        .sync(SyncLevel.INTERVAL)
                        .retention(Duration.ZERO)
                        .set("flush.ms", "5"));
        assertThat(made.partitions()).isEqualTo(3);
        assertThat(made.settings().sync()).isEqualTo(SyncLevel.INTERVAL);
        assertThat(made.settings().retentionTime()).isZero();
        assertThat(made.settings().flushInterval()).isEqualTo(Duration.ofMillis(5));
        assertThat(topics.ensure("orders", t -> t.partitions(3))).isEqualTo(made);
    }

    @Test
    void ensureRefusesATopicWithFewerPartitionsThanWanted() {
        Topics topics = muster.topics();
        topics.create("orders", 4);
        assertThatThrownBy(() -> topics.ensure("orders", t -> t.partitions(7)))
                .isInstanceOf(TopicExistsException.class)
                .hasMessage("topic \"orders\" exists with 4 partitions, 7 are wanted")
                .extracting(e -> ((MusterException) e).hint().orElseThrow())
                .asString()
                .contains("addPartitions(\"orders\", 7)");
        assertThat(topics.describe("orders").partitions()).isEqualTo(4);
    }

    @Test
    void ensureAcceptsATopicThatHasGrown() {
        Topics topics = muster.topics();
        topics.ensure("orders", t -> t.partitions(2));
        topics.addPartitions("orders", 4);
        assertThat(topics.ensure("orders", t -> t.partitions(2)).partitions()).isEqualTo(4);
        assertThat(topics.ensure("orders", t -> t.sync(SyncLevel.OS)).partitions())
                .isEqualTo(4);
    }

    @Test
    void partitionsAreShownTrimmedAndSearchedByTime() {
        Topics topics = muster.topics();
        topics.create("orders", 2);
        try (Producer<byte[], String> producer = muster.producer("orders", Codec.BYTES, Codec.STRING)) {
            for (int i = 0; i < 5; i++) {
                Message<byte[], String> message = Message.of("v" + i);
                producer.send(message.withPartition(1).withTimestamp(Instant.ofEpochMilli(1000 + i * 10)))
                        .join();
            }
        }
        topics.trim("orders", 1, 2);
        PartitionInfo info = topics.partition("orders", 1);
        assertThat(info)
                .extracting(PartitionInfo::startOffset, PartitionInfo::endOffset, PartitionInfo::records)
                .containsExactly(2L, 5L, 3L);
        assertThat(info.sizeBytes()).isPositive();
        assertThat(topics.partitions("orders")).hasSize(2).element(1).isEqualTo(info);
        assertThat(topics.offsetAt("orders", 1, Instant.ofEpochMilli(1035))
                        .orElseThrow()
                        .offset())
                .isEqualTo(4);
        assertThat(topics.offsetAt("orders", 1, Instant.ofEpochMilli(2000))).isEmpty();
        assertThatThrownBy(() -> topics.partition("orders", 2))
                .isInstanceOf(TopicNotFoundException.class)
                .hasMessageContaining("which has 2");
    }

    @Test
    void closingFlushesProducersAndClosesAllParts() {
        muster.topics().create("orders", 1);
        Producer<byte[], String> producer = muster.producer("orders", Codec.BYTES, Codec.STRING);
        Reader<byte[], byte[]> reader = muster.reader("orders").open();
        List<CompletableFuture<Position>> sent =
                IntStream.range(0, 1_000).mapToObj(i -> producer.send("v" + i)).toList();
        muster.close();
        assertThat(sent).allMatch(future -> future.isDone() && !future.isCompletedExceptionally());
        assertThatThrownBy(() -> producer.send("late")).isInstanceOf(StoreClosedException.class);
        assertThatThrownBy(() -> reader.poll(Duration.ZERO)).isInstanceOf(StoreClosedException.class);
        assertThatThrownBy(() -> muster.topics().list()).isInstanceOf(StoreClosedException.class);
        assertThatThrownBy(() -> muster.producer("orders").open()).isInstanceOf(StoreClosedException.class);
        assertThatThrownBy(muster::readOnly).isInstanceOf(StoreClosedException.class);
        muster.close();
    }

    @Test
    void aMissingTopicIsRefusedWhenAProducerOrReaderIsOpened() {
        assertThatThrownBy(() -> muster.producer("nope").open())
                .isInstanceOf(TopicNotFoundException.class)
                .hasMessageContaining("\"nope\"");
        assertThatThrownBy(() -> muster.reader("nope").open()).isInstanceOf(TopicNotFoundException.class);
        muster.topics().create("orders", 2);
        assertThatThrownBy(() -> muster.reader("orders").partitions(0, 2).open())
                .isInstanceOf(TopicNotFoundException.class)
                .hasMessageContaining("partition 2");
    }

    @Test
    void optionsWithoutAMeaningAreRefused() {
        assertThatThrownBy(() -> muster.producer("orders").batchBytes(1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> muster.producer("orders").maxBlock(Duration.ofSeconds(-1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> muster.reader("orders").maxRecords(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> muster.reader()).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> muster.reader("a", "a")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> muster.reader("a").partitions(1, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Message.of("v").withPartition(-1)).isInstanceOf(IllegalArgumentException.class);
    }
}
