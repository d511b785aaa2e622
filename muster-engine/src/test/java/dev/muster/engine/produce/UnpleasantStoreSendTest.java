package dev.muster.engine.produce;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.core.Topic;
import dev.muster.core.TopicName;
import dev.muster.core.TopicSettings;
import dev.muster.engine.runtime.EngineRuntime;
import dev.muster.store.LogStore;
import dev.muster.store.batch.LogRecord;
import dev.muster.store.memory.MemoryStore;
import dev.muster.testkit.ContractRecords;
import dev.muster.testkit.unpleasant.StoreMistake;
import dev.muster.testkit.unpleasant.Trouble;
import dev.muster.testkit.unpleasant.UnpleasantStore;
import dev.muster.testkit.unpleasant.Writers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Two processes send to the same partitions of a store that fails, leaves outcomes unknown, and has one writer for each
 * partition. Every record is in the log once, at the place that its future gives, in the order of its sender.
 */
@Timeout(300)
class UnpleasantStoreSendTest {
    private static final TopicName TOPIC = new TopicName("orders");
    private static final int PARTITIONS = 2;
    private static final int RECORDS = 400;
    private static final SendOptions PATIENT =
            SendOptions.DEFAULT.withBatchBytes(256).withDeliveryTimeout(Duration.ofMinutes(4));

    private record Where(int partition, long offset) {}

    /** @param unknown the number of appends whose outcome was unknown */
    private record Outcome(Map<String, Where> acknowledged, List<List<LogRecord>> logs, long unknown) {}

    private static Outcome send(long seed, int failsOneIn, StoreMistake mistake) throws Exception {
        Writers writers = new Writers();
        Trouble trouble =
                new Trouble(seed, failsOneIn, System::nanoTime, Thread::startVirtualThread).withMistake(mistake);
        try (MemoryStore memory = new MemoryStore();
                LogStore one = new UnpleasantStore(memory.anotherHost(), trouble, writers, "p1");
                LogStore two = new UnpleasantStore(memory.anotherHost(), trouble, writers, "p2")) {
            Topic topic = memory.create(TOPIC, PARTITIONS, TopicSettings.DEFAULT);
            Map<String, CompletableFuture<Where>> futures = new HashMap<>();
            trouble.calm(true);
            try (RecordSender<Where> first = sender(one);
                    RecordSender<Where> second = sender(two)) {
                trouble.calm(false);
                for (int i = 0; i < RECORDS; i++) {
                    for (RecordSender<Where> sender : List.of(first, second)) {
                        String value = (sender == first ? "one " : "two ") + i;
                        futures.put(
                                value,
                                sender.send(i % PARTITIONS, RecordSender.NOW, null, value.getBytes(UTF_8), List.of()));
                    }
                }
                for (CompletableFuture<Where> future : futures.values()) {
                    future.get(4, TimeUnit.MINUTES);
                }
            }
            trouble.calm(true);
            Map<String, Where> acknowledged = new HashMap<>();
            futures.forEach((value, future) -> acknowledged.put(value, future.join()));
            List<List<LogRecord>> logs = new ArrayList<>();
            for (int i = 0; i < PARTITIONS; i++) {
                logs.add(ContractRecords.read(memory.log(topic.id(), i), 0));
            }
            return new Outcome(acknowledged, logs, trouble.counts().unknown());
        }
    }

    private static RecordSender<Where> sender(LogStore store) {
        return new RecordSender<>(
                store, TOPIC, PATIENT, (partition, offset, _) -> new Where(partition, offset), EngineRuntime.system());
    }

    private static void check(Outcome outcome) {
        Map<String, Where> found = new HashMap<>();
        for (int i = 0; i < PARTITIONS; i++) {
            Map<String, Integer> last = new HashMap<>();
            for (LogRecord record : outcome.logs().get(i)) {
                String value = ContractRecords.value(record);
                assertThat(found.put(value, new Where(i, record.offset())))
                        .as("the earlier place of record \"%s\"", value)
                        .isNull();
                String[] parts = value.split(" ", -1);
                int number = Integer.parseInt(parts[1]);
                assertThat(last.getOrDefault(parts[0], -1))
                        .as("record before \"%s\" of its sender", value)
                        .isLessThan(number);
                last.put(parts[0], number);
            }
        }
        assertThat(found).isEqualTo(outcome.acknowledged());
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void recordsAreSentOnceAndInOrder(long seed) throws Exception {
        Outcome outcome = send(seed, 6, null);
        assertThat(outcome.unknown()).as("unknown outcomes").isPositive();
        check(outcome);
    }

    @ParameterizedTest
    @EnumSource(names = {"UNKNOWN_REPORTED_AS_NO_EFFECT", "LATE_BATCH_AFTER_OPENING"})
    void aStoreThatBreaksItsPromiseOfUnknownOutcomesIsNoticed(StoreMistake mistake) {
        assertThatThrownBy(() -> {
                    for (long seed = 1; seed <= 20; seed++) {
                        check(send(seed, 6, mistake));
                    }
                })
                .isInstanceOf(AssertionError.class);
    }

    @Test
    void aStoreWithoutFailuresGetsEveryRecordOnce() throws Exception {
        check(send(9, 0, null));
    }
}
