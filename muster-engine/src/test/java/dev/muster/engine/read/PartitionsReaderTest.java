package dev.muster.engine.read;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.core.CompressionKind;
import dev.muster.core.Topic;
import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import dev.muster.core.TopicSettings;
import dev.muster.engine.StagedStore;
import dev.muster.engine.runtime.EngineRuntime;
import dev.muster.store.DamagedLogException;
import dev.muster.store.OffsetOutOfRangeException;
import dev.muster.store.PartitionLog;
import dev.muster.store.TopicDeletedException;
import dev.muster.store.batch.BatchBuilder;
import dev.muster.store.batch.BatchHeader;
import dev.muster.store.batch.EncodedBatch;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PartitionsReaderTest {
    private static final TopicName TOPIC = new TopicName("orders");
    private static final long LONG = TimeUnit.SECONDS.toNanos(50);

    private final StagedStore store = new StagedStore();
    private final List<DamagedLogException> damages = new ArrayList<>();
    private boolean skip;
    private PartitionsReader reader;

    @AfterEach
    void close() {
        if (reader != null) {
            reader.close();
        }
        store.close();
    }

    private PartitionsReader open(int... partitions) {
        List<Integer> only = Arrays.stream(partitions).boxed().toList();
        reader = new PartitionsReader(
                store,
                EngineRuntime.system(),
                List.of(new ReadTarget(TOPIC, only)),
                PartitionLog::startOffset,
                new ReadErrorPolicy() {
                    @Override
                    public long outOfRange(PartitionLog log, OffsetOutOfRangeException problem) {
                        if (skip) {
                            return log.startOffset();
                        }
                        throw problem;
                    }

                    @Override
                    public long damaged(PartitionLog log, DamagedLogException problem) {
                        damages.add(problem);
                        if (skip) {
                            return problem.nextOffset();
                        }
                        throw problem;
                    }
                });
        return reader;
    }

    private void append(int partition, String... values) {
        Topic topic = store.find(TOPIC).orElseThrow();
        store.log(topic.id(), partition).append(batch(values));
    }

    private static EncodedBatch batch(String... values) {
        BatchBuilder builder = new BatchBuilder(new byte[1 << 16], CompressionKind.NONE);
        for (String value : values) {
            assertThat(builder.tryAppend(1, null, value.getBytes(UTF_8), List.of()))
                    .isTrue();
        }
        return builder.finish(BatchHeader.NO_PRODUCER, (short) -1, -1);
    }

    private List<String> poll(int max, long nanos) {
        List<String> got = new ArrayList<>();
        int count = reader.poll(
                max, nanos, (from, record) -> got.add(from.partition() + ":" + new String(record.value(), UTF_8)));
        assertThat(got).hasSize(count);
        return got;
    }

    @Test
    void addedAndRemovedPartitionsDoNotMoveTheOthers() {
        Topic topic = store.create(TOPIC, 3, TopicSettings.DEFAULT);
        append(0, "a", "b", "c");
        append(1, "d", "e");
        open(0);
        assertThat(poll(1, 0)).containsExactly("0:a");
        reader.add(store.log(topic.id(), 1), 1);
        assertThat(poll(1, 0)).containsExactly("0:b");
        assertThat(poll(9, 0)).containsExactlyInAnyOrder("0:c", "1:e");
        TopicPartition zero = new TopicPartition(TOPIC, 0);
        TopicPartition one = new TopicPartition(TOPIC, 1);
        assertThat(reader.position(zero)).isEqualTo(3);
        reader.pause(one, true);
        append(0, "f");
        append(1, "g");
        assertThat(poll(9, 0)).containsExactly("0:f");
        reader.remove(zero);
        reader.remove(zero);
        append(0, "never");
        assertThat(poll(9, 0)).isEmpty();
        reader.pause(one, false);
        assertThat(poll(9, LONG)).containsExactly("1:g");
        reader.remove(one);
        assertThat(reader.reads(one)).isFalse();
        assertThat(poll(9, 1)).isEmpty();
        reader.add(store.log(topic.id(), 2), 0);
        append(2, "h");
        assertThat(poll(9, LONG)).containsExactly("2:h");
        assertThat(reader.positions()).containsOnlyKeys(new TopicPartition(TOPIC, 2));
    }

    @Test
    void aWakeupEndsAnAwait() {
        store.create(TOPIC, 1, TopicSettings.DEFAULT);
        open();
        append(0, "a");
        reader.wakeup();
        reader.await(LONG);
        reader.await(1);
        assertThat(poll(9, 0)).containsExactly("0:a");
    }

    @Test
    void partitionsAreReadInTurnWithoutStarvation() {
        store.create(TOPIC, 3, TopicSettings.DEFAULT);
        for (int i = 0; i < 3; i++) {
            append(i, "a", "b", "c", "d");
        }
        open();
        assertThat(poll(2, 0)).containsExactly("0:a", "0:b");
        assertThat(poll(2, 0)).containsExactly("1:a", "1:b");
        assertThat(poll(2, 0)).containsExactly("2:a", "2:b");
        assertThat(poll(100, 0)).containsExactly("0:c", "0:d", "1:c", "1:d", "2:c", "2:d");
        assertThat(poll(100, 0)).isEmpty();
        assertThat(reader.atEnd()).isTrue();
    }

    @Test
    void aSeekIntoABatchSkipsItsEarlierRecords() {
        store.create(TOPIC, 1, TopicSettings.DEFAULT);
        append(0, "a", "b", "c");
        append(0, "d");
        open();
        reader.seek(new TopicPartition(TOPIC, 0), 1);
        assertThat(poll(100, 0)).containsExactly("0:b", "0:c", "0:d");
    }

    @Test
    void damageStopsReadingAndIsReportedAgain() {
        store.create(TOPIC, 1, TopicSettings.DEFAULT);
        append(0, "a");
        append(0, "b");
        open();
        for (int i = 0; i < 2; i++) {
            store.failNextRead(new DamagedLogException("file", 0, 0, 1, "a flipped bit"));
            assertThatThrownBy(() -> poll(100, 0)).isInstanceOf(DamagedLogException.class);
            assertThat(reader.positions()).containsEntry(new TopicPartition(TOPIC, 0), 0L);
        }
        assertThat(poll(100, 0)).containsExactly("0:a", "0:b");
    }

    @Test
    void damageIsSkippedIfThePolicyAllows() {
        skip = true;
        store.create(TOPIC, 1, TopicSettings.DEFAULT);
        append(0, "a");
        append(0, "b");
        open();
        store.failNextRead(new DamagedLogException("file", 0, 0, 1, "a flipped bit"));
        assertThat(poll(100, 0)).containsExactly("0:b");
        assertThat(damages).hasSize(1);
    }

    @Test
    void damageIsReportedWhileAnotherPartitionHasRecords() {
        store.create(TOPIC, 2, TopicSettings.DEFAULT);
        append(0, "a");
        corrupt(1);
        open();
        assertThat(poll(100, 0)).containsExactly("0:a");
        append(0, "b");
        assertThatThrownBy(() -> poll(100, 0)).isInstanceOf(DamagedLogException.class);
    }

    @Test
    void aBatchWithInvalidContentIsDamageOfThatBatchOnly() {
        skip = true;
        store.create(TOPIC, 1, TopicSettings.DEFAULT);
        append(0, "a");
        corrupt(0);
        append(0, "d");
        open();
        assertThat(poll(100, 0)).containsExactly("0:a");
        assertThat(poll(100, 0)).containsExactly("0:d");
        assertThat(damages).hasSize(1);
        assertThat(damages.getFirst().firstOffset()).isEqualTo(1);
        assertThat(damages.getFirst().nextOffset()).isEqualTo(3);
    }

    /** Appends a batch of two records with a wrong length of the first one. */
    private void corrupt(int partition) {
        EncodedBatch batch = batch("b", "c");
        batch.array()[BatchHeader.SIZE] = 126;
        store.log(store.find(TOPIC).orElseThrow().id(), partition).append(batch);
    }

    @Test
    void aSinkThatThrowsGetsTheSameRecordAgain() {
        store.create(TOPIC, 1, TopicSettings.DEFAULT);
        append(0, "a", "b");
        open();
        List<Long> seen = new ArrayList<>();
        RecordSink refusing = (from, record) -> {
            seen.add(record.offset());
            if (record.offset() == 1) {
                throw new IllegalArgumentException("no");
            }
        };
        assertThat(reader.poll(10, 0, refusing)).isEqualTo(1);
        assertThatThrownBy(() -> reader.poll(10, 0, refusing)).hasMessage("no");
        assertThat(seen).containsExactly(0L, 1L, 1L);
        assertThat(poll(10, 0)).containsExactly("0:b");
    }

    @Test
    void anAppendToAnyPartitionWakesTheReader() throws Exception {
        store.create(TOPIC, 3, TopicSettings.DEFAULT);
        open();
        long[] nanos = new long[30];
        for (int i = 0; i < nanos.length; i++) {
            long start = System.nanoTime();
            Thread writer = onceWaiting(Thread.currentThread(), () -> append(2, "late"));
            assertThat(poll(10, LONG)).containsExactly("2:late");
            nanos[i] = System.nanoTime() - start;
            writer.join();
        }
        // On a machine with pauses a few wake-ups take long, but not most.
        Arrays.sort(nanos);
        assertThat(nanos[nanos.length / 2])
                .as("nanoseconds, the median; its own looks come each second")
                .isLessThan(TimeUnit.SECONDS.toNanos(1));
    }

    @Test
    void aPartitionThatIsAddedIsReadFromItsFirstRecord() throws Exception {
        store.create(TOPIC, 1, TopicSettings.DEFAULT);
        open();
        store.addPartitions(TOPIC, 2);
        append(1, "new");
        assertThat(poll(10, LONG)).containsExactly("1:new");
    }

    @Test
    void onlyTheNamedPartitionsAreRead() {
        store.create(TOPIC, 3, TopicSettings.DEFAULT);
        append(0, "a");
        append(1, "b");
        append(2, "c");
        open(2, 0);
        assertThat(poll(10, 0)).containsExactlyInAnyOrder("0:a", "2:c");
    }

    @Test
    void aWaitingReaderGetsTheNameOfADeletedTopic() throws Exception {
        store.create(TOPIC, 1, TopicSettings.DEFAULT);
        open();
        Thread deleter = onceWaiting(Thread.currentThread(), () -> store.delete(TOPIC));
        assertThatThrownBy(() -> poll(10, LONG))
                .isInstanceOf(TopicDeletedException.class)
                .hasMessageContaining("\"orders\"");
        deleter.join();
    }

    @Test
    void outOfRangeReadingContinuesByThePolicy() {
        store.create(TOPIC, 1, TopicSettings.DEFAULT);
        append(0, "a");
        append(0, "b");
        open();
        store.log(store.find(TOPIC).orElseThrow().id(), 0).trim(1);
        assertThatThrownBy(() -> poll(10, 0)).isInstanceOf(OffsetOutOfRangeException.class);
        skip = true;
        assertThat(poll(10, 0)).containsExactly("0:b");
    }

    @Test
    void anInterruptEndsTheWaitAndStaysSet() {
        store.create(TOPIC, 1, TopicSettings.DEFAULT);
        open();
        Thread.currentThread().interrupt();
        assertThat(poll(10, LONG)).isEmpty();
        assertThat(Thread.interrupted()).isTrue();
    }

    private static Thread onceWaiting(Thread waiter, Runnable action) {
        return Thread.ofPlatform().start(() -> {
            while (waiter.getState() != Thread.State.TIMED_WAITING) {
                Thread.onSpinWait();
            }
            action.run();
        });
    }
}
