package dev.muster.testkit;

import static dev.muster.testkit.ContractRecords.append;
import static dev.muster.testkit.ContractRecords.awaitEndAbove;
import static dev.muster.testkit.ContractRecords.batch;
import static dev.muster.testkit.ContractRecords.values;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.muster.core.InvalidNameException;
import dev.muster.core.MusterException;
import dev.muster.core.SyncLevel;
import dev.muster.core.Topic;
import dev.muster.core.TopicId;
import dev.muster.core.TopicName;
import dev.muster.core.TopicSettings;
import dev.muster.store.LogStore;
import dev.muster.store.PartitionLog;
import dev.muster.store.StoreClosedException;
import dev.muster.store.TopicDeletedException;
import dev.muster.store.TopicExistsException;
import dev.muster.store.TopicNotFoundException;
import dev.muster.store.read.LogReader;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.stream.LongStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/**
 * The tests that every log store passes. A test of a store implements this interface and opens the store. Each test
 * closes the stores that it opens.
 */
public interface LogStoreContract extends PartitionLogContract {
    TopicName ORDERS = new TopicName("orders");

    /** True if {@link #open} finds the data of an earlier store of the same test. */
    default boolean durable() {
        return true;
    }

    @Test
    default void aNewTopicIsFoundWithItsSettings() {
        try (LogStore store = open()) {
            TopicSettings settings = TopicSettings.DEFAULT.withRetention(Duration.ofHours(3));
            Topic made = store.create(ORDERS, 3, settings);
            assertThat(made.name()).isEqualTo(ORDERS);
            assertThat(made.partitions()).isEqualTo(3);
            assertThat(made.settings()).isEqualTo(settings);
            assertSame(store.find(ORDERS).orElseThrow(), made);
            assertThat(store.partitions(made.id())).isEqualTo(3);
            assertThat(store.log(made.id(), 2).partition()).isEqualTo(2);
            assertThat(store.log(made.id(), 2).topic().name()).isEqualTo(ORDERS);
            assertThat(store.readOnly()).isFalse();
        }
    }

    @Test
    default void aTopicCannotBeCreatedTwice() {
        try (LogStore store = open()) {
            Topic made = store.create(ORDERS, 1, TopicSettings.DEFAULT);
            assertThatExceptionOfType(TopicExistsException.class)
                    .isThrownBy(() -> store.create(ORDERS, 5, TopicSettings.DEFAULT));
            assertSame(store.find(ORDERS).orElseThrow(), made);
        }
    }

    @Test
    default void onlyOneOfConcurrentCreationsSucceeds() {
        try (LogStore store = open()) {
            for (int round = 0; round < 5; round++) {
                TopicName name = new TopicName("race-" + round);
                List<Topic> winners = Together.run(8, thread -> {
                            try {
                                return List.of(store.create(name, thread + 1, TopicSettings.DEFAULT));
                            } catch (TopicExistsException e) {
                                return List.<Topic>of();
                            }
                        })
                        .stream()
                        .flatMap(List::stream)
                        .toList();
                assertThat(winners).hasSize(1);
                assertSame(store.find(name).orElseThrow(), winners.getFirst());
            }
        }
    }

    @Test
    default void topicsAreListedByName() {
        try (LogStore store = open()) {
            assertThat(store.list()).isEmpty();
            for (String name : new String[] {"b", "a.b", "a", "c-1", "_x", "B"}) {
                store.create(new TopicName(name), 1, TopicSettings.DEFAULT);
            }
            assertThat(store.list())
                    .extracting(t -> t.name().value())
                    .containsExactly("B", "_x", "a", "a.b", "b", "c-1");
        }
    }

    @Test
    default void onlyNamesThatFollowTheRulesAreAccepted() {
        for (String name : new String[] {"", ".", "..", "../x", "a/b", "a b", "ä", "a\u0000", "x".repeat(250)}) {
            assertThatExceptionOfType(InvalidNameException.class).as(name).isThrownBy(() -> new TopicName(name));
        }
        try (LogStore store = open()) {
            for (String name :
                    new String[] {"x".repeat(249), "...", ".hidden", "-", "_", "con", "a.json", "topic.json"}) {
                Topic topic = store.create(new TopicName(name), 1, TopicSettings.DEFAULT);
                append(store.log(topic.id(), 0), name);
                assertThat(values(store.log(topic.id(), 0), 0)).containsExactly(name);
            }
        }
    }

    @Test
    default void anImpossibleNumberOfPartitionsIsRefused() {
        try (LogStore store = open()) {
            for (int partitions : new int[] {0, -1, LogStore.PARTITIONS_MAX + 1, Integer.MIN_VALUE}) {
                assertThatExceptionOfType(MusterException.class)
                        .isThrownBy(() -> store.create(ORDERS, partitions, TopicSettings.DEFAULT));
            }
            assertThat(store.find(ORDERS)).isEmpty();
        }
    }

    @Test
    default void missingTopicsAndPartitionsThrowNotFound() {
        try (LogStore store = open()) {
            TopicId unknown = new TopicId(new UUID(4711, 4711));
            assertThat(store.find(ORDERS)).isEmpty();
            assertMissing(() -> store.addPartitions(ORDERS, 2));
            assertMissing(() -> store.alter(ORDERS, TopicSettings.DEFAULT));
            assertMissing(() -> store.delete(ORDERS));
            assertMissing(() -> store.log(unknown, 0));
            Topic topic = store.create(ORDERS, 2, TopicSettings.DEFAULT);
            assertMissing(() -> store.log(topic.id(), 2));
            assertMissing(() -> store.log(topic.id(), -1));
        }
    }

    @Test
    default void partitionsCanBeAddedButNotRemoved() {
        try (LogStore store = open()) {
            Topic topic = store.create(ORDERS, 2, TopicSettings.DEFAULT);
            append(store.log(topic.id(), 1), "kept");

            assertThat(store.addPartitions(ORDERS, 4).partitions()).isEqualTo(4);

            assertThat(store.partitions(topic.id())).isEqualTo(4);
            assertThat(store.find(ORDERS).orElseThrow().partitions()).isEqualTo(4);
            assertThat(append(store.log(topic.id(), 3), "new")).isZero();
            assertThat(values(store.log(topic.id(), 1), 0)).containsExactly("kept");
            for (int partitions : new int[] {3, 1, 0, -1, LogStore.PARTITIONS_MAX + 1}) {
                assertThatExceptionOfType(MusterException.class)
                        .isThrownBy(() -> store.addPartitions(ORDERS, partitions));
            }
            assertThat(store.partitions(topic.id())).isEqualTo(4);
        }
    }

    @Test
    default void changedSettingsApplyToOpenLogs() {
        try (LogStore store = open()) {
            Topic topic = store.create(ORDERS, 1, TopicSettings.DEFAULT);
            PartitionLog log = store.log(topic.id(), 0);
            TopicSettings changed = TopicSettings.DEFAULT.with("max.message.bytes", "128");
            assertThat(store.alter(ORDERS, changed).settings()).isEqualTo(changed);
            assertThat(store.find(ORDERS).orElseThrow().settings()).isEqualTo(changed);
            assertThat(store.log(topic.id(), 0).topic().settings()).isEqualTo(changed);
            assertThatExceptionOfType(MusterException.class).isThrownBy(() -> log.append(batch("x".repeat(128))));
        }
    }

    @Test
    default void allUsesOfADeletedTopicThrow() {
        try (LogStore store = open()) {
            Topic topic = store.create(ORDERS, 1, TopicSettings.DEFAULT);
            PartitionLog log = store.log(topic.id(), 0);
            append(log, "a");
            try (LogReader reader = log.reader(0)) {
                store.delete(ORDERS);
                assertDeleted(() -> log.append(batch("b")));
                assertDeleted(() -> log.awaitDurable(2));
                assertDeleted(() -> reader.read(1 << 20));
                assertDeleted(() -> store.partitions(topic.id()));
            }
            assertMissing(() -> store.log(topic.id(), 0));
            assertThat(store.find(ORDERS)).isEmpty();
            assertThat(store.list()).isEmpty();
        }
    }

    @Test
    default void aDeletionIsRecordedForTheDeletedTopicOnly() {
        try (LogStore store = open()) {
            Topic first = store.create(ORDERS, 1, TopicSettings.DEFAULT);
            assertThat(store.isDeleted(first.id())).isFalse();
            store.delete(ORDERS);
            Topic second = store.create(ORDERS, 1, TopicSettings.DEFAULT);
            assertThat(store.isDeleted(first.id())).isTrue();
            assertThat(store.isDeleted(second.id())).isFalse();
        }
    }

    @Test
    default void aTopicCreatedAgainIsEmpty() {
        try (LogStore store = open()) {
            Topic old = store.create(ORDERS, 1, TopicSettings.DEFAULT);
            PartitionLog oldLog = store.log(old.id(), 0);
            append(oldLog, "old");
            store.delete(ORDERS);
            Topic anew = store.create(ORDERS, 1, TopicSettings.DEFAULT);
            PartitionLog log = store.log(anew.id(), 0);

            assertThat(anew.id()).isNotEqualTo(old.id());
            assertThat(log.endOffset()).isZero();
            assertThat(append(log, "new")).isZero();
            assertDeleted(() -> oldLog.append(batch("late")));
            assertThat(values(log, 0)).containsExactly("new");
        }
    }

    @Test
    default void appendsAndWaitsThrowWhenTheirTopicIsDeleted() {
        try (LogStore store = open()) {
            Topic topic = store.create(ORDERS, 1, TopicSettings.DEFAULT.withSync(SyncLevel.OS));
            PartitionLog log = store.log(topic.id(), 0);
            List<Class<?>> ends = Together.run(3, thread -> switch (thread) {
                case 0 -> {
                    // Once there are records, the appending thread is running.
                    while (!awaitEndAbove(log, 0, Duration.ofSeconds(30))) {
                        Thread.onSpinWait();
                    }
                    store.delete(ORDERS);
                    yield TopicDeletedException.class;
                }
                case 1 -> endOf(() -> append(log, "x"));
                default ->
                    endOf(() -> {
                        awaitEndAbove(log, Long.MAX_VALUE - 1, Duration.ofMillis(200));
                        try (LogReader reader = log.reader(0)) {
                            reader.read(1);
                        }
                    });
            });
            assertThat(ends).allMatch(TopicDeletedException.class::equals);
        }
    }

    @Test
    default void waitsThrowWhenTheStoreIsClosed() {
        LogStore store = open();
        Topic topic = store.create(ORDERS, 1, TopicSettings.DEFAULT);
        PartitionLog log = store.log(topic.id(), 0);
        List<Class<?>> ends = Together.run(2, thread -> {
            if (thread == 0) {
                store.close();
            }
            return endOf(() -> awaitEndAbove(log, 0, Duration.ofMillis(200)));
        });
        assertThat(ends).allMatch(StoreClosedException.class::equals);
    }

    /** Repeats the work until it fails. Returns the class of the exception. */
    private static Class<?> endOf(Runnable work) {
        while (true) {
            try {
                work.run();
            } catch (MusterException e) {
                return e.getClass();
            }
        }
    }

    @Test
    default void everyProducerIdIsNew() {
        Set<Long> given = new HashSet<>();
        for (int opened = 0; opened < (durable() ? 3 : 1); opened++) {
            try (LogStore store = open()) {
                List<long[]> ids = Together.run(
                        8,
                        thread -> LongStream.generate(store::newProducerId)
                                .limit(100)
                                .toArray());
                ids.forEach(some -> LongStream.of(some)
                        .forEach(id -> assertThat(given.add(id))
                                .as("id %d is given for the first time", id)
                                .isTrue()));
            }
        }
        assertThat(given).allMatch(id -> id >= 0);
    }

    @Test
    default void aClaimedRoleIsFreeOnlyAfterItsRelease() {
        try (LogStore store = open()) {
            LogStore.Claim claim = store.claim("door-keeper").orElseThrow();
            assertThat(store.claim("door-keeper")).isEmpty();
            store.claim("another").orElseThrow().close();
            claim.close();
            store.claim("door-keeper").orElseThrow().close();
        }
    }

    @Test
    default void aStoreKeepsItsId() {
        try (LogStore store = open()) {
            assertThat(store.id()).isEqualTo(store.id());
            if (durable()) {
                try (LogStore again = open()) {
                    assertThat(again.id()).isEqualTo(store.id());
                }
            }
        }
    }

    @Test
    default void callsOfAClosedStoreThrow() {
        LogStore store = open();
        Topic topic = store.create(ORDERS, 1, TopicSettings.DEFAULT);
        PartitionLog log = store.log(topic.id(), 0);
        append(log, "a");
        LogReader reader = log.reader(0);
        store.close();

        assertClosed(() -> store.create(new TopicName("other"), 1, TopicSettings.DEFAULT));
        assertClosed(() -> store.find(ORDERS));
        assertClosed(store::list);
        assertClosed(() -> store.addPartitions(ORDERS, 2));
        assertClosed(() -> store.alter(ORDERS, TopicSettings.DEFAULT));
        assertClosed(() -> store.delete(ORDERS));
        assertClosed(() -> store.log(topic.id(), 0));
        assertClosed(() -> store.partitions(topic.id()));
        assertClosed(store::newProducerId);
        assertClosed(() -> store.claim("door-keeper"));
        assertClosed(() -> log.append(batch("b")));
        assertClosed(() -> log.reader(0).read(1));
        assertClosed(() -> reader.read(1));
        assertThatCode(reader::close).doesNotThrowAnyException();
        assertThatCode(store::close).as("closing a second time").doesNotThrowAnyException();
    }

    @Test
    default void aStoreOpenedAgainHasTheSameData() {
        assumeTrue(durable());
        Topic topic;
        TopicSettings settings = TopicSettings.DEFAULT
                .withSync(SyncLevel.INTERVAL)
                .withSegmentBytes(4096)
                .with("compression.type", "lz4");
        try (LogStore store = open()) {
            topic = store.create(ORDERS, 2, TopicSettings.DEFAULT);
            append(store.log(topic.id(), 0), "a", "b");
            append(store.log(topic.id(), 0), "c", "d");
            store.log(topic.id(), 0).trim(3);
            store.create(new TopicName("gone"), 1, TopicSettings.DEFAULT);
            store.delete(new TopicName("gone"));
            store.alter(ORDERS, settings);
            topic = store.addPartitions(ORDERS, 3);
        }
        try (LogStore store = open()) {
            assertThat(store.list()).hasSize(1);
            assertSame(store.find(ORDERS).orElseThrow(), topic);
            assertThat(topic.settings()).isEqualTo(settings);
            PartitionLog log = store.log(topic.id(), 0);
            assertThat(log.startOffset()).isEqualTo(3);
            assertThat(log.endOffset()).isEqualTo(4);
            assertThat(values(log, 3)).containsExactly("d");
            assertThat(append(log, "e")).isEqualTo(4);
            assertThat(values(log, 3)).containsExactly("d", "e");
        }
    }

    private static void assertSame(Topic actual, Topic expected) {
        assertThat(truncated(actual)).isEqualTo(truncated(expected));
    }

    /** The topic with its time of creation in milliseconds, because a store may keep times to the millisecond. */
    private static Topic truncated(Topic topic) {
        Objects.requireNonNull(topic.createdAt());
        return new Topic(
                topic.name(),
                topic.id(),
                topic.partitions(),
                topic.settings(),
                topic.createdAt().truncatedTo(ChronoUnit.MILLIS));
    }

    private static void assertMissing(ThrowingCallable call) {
        assertThatExceptionOfType(TopicNotFoundException.class).isThrownBy(call);
    }

    private static void assertDeleted(ThrowingCallable call) {
        assertThatExceptionOfType(TopicDeletedException.class).isThrownBy(call);
    }

    private static void assertClosed(ThrowingCallable call) {
        assertThatExceptionOfType(StoreClosedException.class).isThrownBy(call);
    }
}
