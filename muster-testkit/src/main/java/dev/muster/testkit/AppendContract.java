package dev.muster.testkit;

import static dev.muster.testkit.ContractRecords.append;
import static dev.muster.testkit.ContractRecords.batch;
import static dev.muster.testkit.ContractRecords.values;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.muster.core.SyncLevel;
import dev.muster.core.Topic;
import dev.muster.core.TopicName;
import dev.muster.core.TopicSettings;
import dev.muster.store.AppendConflictException;
import dev.muster.store.AppendPlace;
import dev.muster.store.LogStore;
import dev.muster.store.LogStore.AppendRequest;
import dev.muster.store.PartitionAppender;
import dev.muster.store.PartitionLog;
import dev.muster.store.PendingAppend;
import dev.muster.store.RecordTooLargeException;
import dev.muster.store.TopicDeletedException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The tests of appends that every partition log passes. Part of {@link PartitionLogContract}. */
public interface AppendContract {
    /** Opens the store. A durable store has the data of earlier calls in the same test. */
    LogStore open();

    private static PartitionLog ordersLog(LogStore store, int partitions) {
        Topic topic = store.create(new TopicName("orders"), partitions, TopicSettings.DEFAULT);
        return store.log(topic.id(), 0);
    }

    @Test
    default void anAppendReportsItsPlaceAndThenThatItIsDurable() throws Exception {
        try (LogStore store = open()) {
            PartitionLog log = ordersLog(store, 1);
            try (PartitionAppender appender = log.appender()) {
                assertThat(appender.log()).isSameAs(log);
                PendingAppend append = appender.append(batch("a", "b"));
                AppendPlace place = append.placed().get(1, TimeUnit.MINUTES);
                assertThat(place.baseOffset()).isZero();
                assertThat(place.endOffset()).isGreaterThanOrEqualTo(2);
                assertThat(append.place()).isEqualTo(place);
                append.durable().get(1, TimeUnit.MINUTES);
                append.awaitDurable();
                assertThat(log.endOffset()).isEqualTo(place.endOffset());
                assertThat(values(log, 0)).containsExactly("a", "b");
            }
        }
    }

    @Test
    default void appendsOfOneAppenderGetPlacesInTheOrderOfTheCalls() {
        try (LogStore store = open()) {
            PartitionLog log = ordersLog(store, 1);
            try (PartitionAppender appender = log.appender()) {
                List<PendingAppend> appends = new ArrayList<>();
                List<String> expected = new ArrayList<>();
                for (int i = 0; i < 100; i++) {
                    appends.add(appender.append(batch("v" + i)));
                    expected.add("v" + i);
                }
                appends.getLast().awaitDurable();
                assertThat(values(log, 0)).isEqualTo(expected);
                assertThat(appends.stream().map(append -> append.place().baseOffset()))
                        .isSorted()
                        .doesNotHaveDuplicates();
            }
        }
    }

    @Test
    default void oneCallAppendsToSeveralPartitionsWithAnOutcomeForEach() {
        try (LogStore store = open()) {
            Topic topic =
                    store.create(new TopicName("orders"), 3, TopicSettings.DEFAULT.with("max.message.bytes", "200"));
            List<PartitionAppender> appenders = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                appenders.add(store.log(topic.id(), i).appender());
            }
            List<PendingAppend> appends = store.append(List.of(
                    new AppendRequest(appenders.get(0), batch("a")),
                    new AppendRequest(appenders.get(1), batch("x".repeat(1000))),
                    new AppendRequest(appenders.get(2), batch("c"))));
            assertThat(appends).hasSize(3);
            appends.get(0).awaitDurable();
            appends.get(2).awaitDurable();
            assertThatExceptionOfType(RecordTooLargeException.class).isThrownBy(appends.get(1)::place);
            assertThatExceptionOfType(RecordTooLargeException.class).isThrownBy(appends.get(1)::awaitDurable);
            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(() -> appends.get(1).durable().get())
                    .withCauseInstanceOf(RecordTooLargeException.class);
            assertThat(values(store.log(topic.id(), 0), 0)).containsExactly("a");
            assertThat(store.log(topic.id(), 1).refresh()).isZero();
            assertThat(values(store.log(topic.id(), 2), 0)).containsExactly("c");
            appenders.forEach(PartitionAppender::close);
        }
    }

    @Test
    default void aConditionalAppendIsWrittenOnlyAtTheEnd() {
        try (LogStore store = open()) {
            PartitionLog log = ordersLog(store, 1);
            append(log, "a", "b");
            long end = log.refresh();
            try (PartitionAppender appender = log.appender()) {
                for (long wrong : new long[] {0, end - 1, end + 1, Long.MAX_VALUE - 10}) {
                    assertThatExceptionOfType(AppendConflictException.class)
                            .as("offset %d", wrong)
                            .isThrownBy(
                                    () -> appender.appendAt(wrong, batch("no")).place())
                            .satisfies(e -> assertThat(e.offset()).isEqualTo(wrong));
                }
                PendingAppend right = appender.appendAt(end, batch("c"));
                right.awaitDurable();
                assertThat(right.place().baseOffset()).isEqualTo(end);
            }
            assertThat(values(log, 0)).containsExactly("a", "b", "c");
        }
    }

    /** Of several threads that append at the same offset, one succeeds; each of the others reads on and tries again. */
    @Test
    default void ofConcurrentConditionalAppendsOneSucceeds() {
        int threads = 4;
        int rounds = 25;
        try (LogStore store = open()) {
            Topic topic = store.create(new TopicName("race"), 1, TopicSettings.DEFAULT.withSync(SyncLevel.OS));
            PartitionLog log = store.log(topic.id(), 0);
            PartitionAppender appender = log.appender();
            List<Integer> conflicts = Together.run(threads, thread -> {
                int lost = 0;
                for (int done = 0; done < rounds; ) {
                    try {
                        long wanted = log.settle();
                        PendingAppend append = appender.appendAt(wanted, batch(thread + ":" + done));
                        append.awaitDurable();
                        assertThat(append.place().baseOffset()).isEqualTo(wanted);
                        done++;
                    } catch (AppendConflictException e) {
                        lost++;
                    }
                }
                return lost;
            });
            appender.close();
            assertThat(conflicts).hasSize(threads);
            assertThat(values(log, 0)).hasSize(threads * rounds).doesNotHaveDuplicates();
        }
    }

    @Test
    default void anAppenderIsHeldUntilItIsClosed() {
        try (LogStore store = open()) {
            PartitionLog log = ordersLog(store, 1);
            PartitionAppender appender = log.appender();
            assertThat(appender.isHeld()).isTrue();
            appender.append(batch("a")).awaitDurable();
            appender.close();
            try (PartitionAppender next = log.appender()) {
                assertThat(next.isHeld()).isTrue();
                next.append(batch("b")).awaitDurable();
            }
            assertThat(values(log, 0)).containsExactly("a", "b");
        }
    }

    @Test
    default void anAppendToADeletedTopicFails() {
        try (LogStore store = open()) {
            PartitionLog log = ordersLog(store, 1);
            PartitionAppender appender = log.appender();
            store.delete(new TopicName("orders"));
            assertThatExceptionOfType(TopicDeletedException.class)
                    .isThrownBy(() -> appender.append(batch("a")).place());
            assertThatExceptionOfType(TopicDeletedException.class).isThrownBy(log::appender);
        }
    }

    @Test
    default void aSettledLogShowsAllAppends() {
        try (LogStore store = open()) {
            PartitionLog log = ordersLog(store, 1);
            assertThat(log.settle()).isZero();
            try (PartitionAppender appender = log.appender()) {
                long end = appender.append(batch("a", "b")).place().endOffset();
                assertThat(log.settle()).isEqualTo(end);
                assertThat(log.endOffset()).isEqualTo(end);
                assertThat(log.refresh()).isEqualTo(end);
            }
            assertThat(values(log, 0)).containsExactly("a", "b");
        }
    }
}
