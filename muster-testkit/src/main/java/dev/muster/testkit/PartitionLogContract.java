package dev.muster.testkit;

import static dev.muster.testkit.ContractRecords.append;
import static dev.muster.testkit.ContractRecords.awaitEndAbove;
import static dev.muster.testkit.ContractRecords.batch;
import static dev.muster.testkit.ContractRecords.batchAt;
import static dev.muster.testkit.ContractRecords.read;
import static dev.muster.testkit.ContractRecords.value;
import static dev.muster.testkit.ContractRecords.values;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.muster.core.CompressionKind;
import dev.muster.core.SyncLevel;
import dev.muster.core.Topic;
import dev.muster.core.TopicName;
import dev.muster.core.TopicSettings;
import dev.muster.store.LogStore;
import dev.muster.store.OffsetOutOfRangeException;
import dev.muster.store.PartitionLog;
import dev.muster.store.PartitionLog.OffsetAndTimestamp;
import dev.muster.store.RecordTooLargeException;
import dev.muster.store.UnsupportedSettingException;
import dev.muster.store.batch.BatchHeader;
import dev.muster.store.batch.EncodedBatch;
import dev.muster.store.batch.LogRecord;
import dev.muster.store.read.LogReader;
import dev.muster.store.read.LogSlice;
import dev.muster.store.watch.Registration;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The tests that every partition log passes. Part of {@link LogStoreContract}. */
public interface PartitionLogContract extends AppendContract {
    private static PartitionLog newLog(LogStore store) {
        return newLog(store, TopicSettings.DEFAULT);
    }

    private static PartitionLog newLog(LogStore store, TopicSettings settings) {
        Topic topic = store.create(new TopicName("orders"), 1, settings);
        return store.log(topic.id(), 0);
    }

    @Test
    default void offsetsStrictlyIncreaseFromZero() {
        try (LogStore store = open()) {
            PartitionLog log = newLog(store);
            assertThat(log.startOffset()).isZero();
            assertThat(log.endOffset()).isZero();

            assertThat(append(log, "a", "b", "c")).isZero();
            long second = append(log, "d");
            assertThat(second).isGreaterThanOrEqualTo(3);
            long third = append(log, "e", "f");
            assertThat(third).isGreaterThan(second);

            assertThat(log.endOffset()).isGreaterThanOrEqualTo(third + 2);
            assertThat(read(log, 0))
                    .extracting(LogRecord::offset)
                    .containsExactly(0L, 1L, 2L, second, third, third + 1);
            assertThat(values(log, 0)).containsExactly("a", "b", "c", "d", "e", "f");
            assertThat(log.sizeBytes()).isPositive();
        }
    }

    @Test
    default void everySyncLevelMakesAcknowledgedRecordsVisible() {
        try (LogStore store = open()) {
            for (SyncLevel level : SyncLevel.values()) {
                Topic topic = store.create(new TopicName("t-" + level), 1, TopicSettings.DEFAULT.withSync(level));
                PartitionLog log = store.log(topic.id(), 0);
                append(log, "a");
                assertThat(values(log, 0)).as("sync=%s", level).containsExactly("a");
                assertThat(log.settle()).isEqualTo(log.refresh());
            }
        }
    }

    @Test
    default void concurrentAppendsAreNeitherLostNorDoubled() {
        int threads = 8;
        int batches = 60;
        try (LogStore store = open()) {
            PartitionLog log = newLog(store);
            List<Map<Long, String>> placed = Together.run(threads, thread -> {
                Map<Long, String> mine = new HashMap<>();
                for (int i = 0; i < batches; i++) {
                    String first = thread + ":" + 2 * i;
                    String second = thread + ":" + (2 * i + 1);
                    long offset = append(log, first, second);
                    mine.put(offset, first);
                    mine.put(offset + 1, second);
                }
                return mine;
            });

            Map<Long, String> acknowledged = new HashMap<>();
            placed.forEach(acknowledged::putAll);
            List<LogRecord> records = read(log, 0);
            assertThat(records).hasSize(threads * batches * 2);
            int[] next = new int[threads];
            for (int i = 0; i < records.size(); i++) {
                LogRecord record = records.get(i);
                assertThat(i == 0 || record.offset() > records.get(i - 1).offset())
                        .as("offset %d is above the one before", record.offset())
                        .isTrue();
                assertThat(value(record))
                        .as("value at %d, by the acknowledgement of its append", record.offset())
                        .isEqualTo(acknowledged.get(record.offset()));
                String[] threadAndNumber = value(record).split(":");
                int thread = Integer.parseInt(threadAndNumber[0]);
                assertThat(threadAndNumber[1])
                        .as("thread %d in its own order", thread)
                        .isEqualTo(Integer.toString(next[thread]++));
            }
        }
    }

    @Test
    default void aReaderSeeksFromAnyOffsetToAnyOther() {
        int count = 900;
        try (LogStore store = open()) {
            Topic topic = store.create(new TopicName("jumps"), 1, smallSegments(store));
            PartitionLog log = store.log(topic.id(), 0);
            List<Long> bases = new ArrayList<>();
            for (int i = 0; i < count; i += 3) {
                bases.add(append(log, "v" + i, "v" + (i + 1), "v" + (i + 2)));
            }
            bases.add(log.endOffset());
            try (LogReader reader = log.reader(0)) {
                reader.read(1);
                for (int jump : new int[] {1, 2, 3, 4, 100, 255, 256, 257, 400, 899}) {
                    for (int to = jump; to < count; to += jump) {
                        reader.seek(bases.get(to / 3) + to % 3);
                        LogSlice slice = reader.read(1);
                        assertThat(slice.nextOffset())
                                .as("end of the batch with record %d", to)
                                .isEqualTo(bases.get(to / 3 + 1));
                        assertThat(reader.position()).isEqualTo(slice.nextOffset());
                    }
                }
            }
        }
    }

    /** Settings with small files, if the store keeps records in files. */
    private static TopicSettings smallSegments(LogStore store) {
        TopicSettings small = TopicSettings.DEFAULT.withSegmentBytes(16 << 10);
        try {
            store.checkSettings(small);
            return small;
        } catch (UnsupportedSettingException e) {
            assertThat(e.setting()).isEqualTo("segment.bytes");
            assertThatExceptionOfType(UnsupportedSettingException.class)
                    .isThrownBy(() -> store.create(new TopicName("small"), 1, small));
            assertThat(store.find(new TopicName("small"))).isEmpty();
            return TopicSettings.DEFAULT;
        }
    }

    @Test
    default void aReadInsideABatchBeginsWithThatBatch() {
        try (LogStore store = open()) {
            PartitionLog log = newLog(store);
            append(log, "a", "b");
            long second = append(log, "c", "d", "e");
            try (LogReader reader = log.reader(second + 1)) {
                LogSlice slice = reader.read(1 << 20);
                assertThat(BatchHeader.baseOffset(
                                slice.bytes().array(),
                                slice.bytes().arrayOffset() + slice.bytes().position()))
                        .isEqualTo(second);
                assertThat(slice.nextOffset()).isEqualTo(log.endOffset());
                assertThat(reader.position()).isEqualTo(log.endOffset());
            }
            assertThat(values(log, second + 1)).containsExactly("d", "e");
        }
    }

    @Test
    default void aReadReturnsAtLeastOneBatchWithinItsLimit() {
        try (LogStore store = open()) {
            PartitionLog log = newLog(store);
            append(log, "a");
            int size = batch("a").size();
            long second = append(log, "b");
            append(log, "c");
            try (LogReader reader = log.reader(0)) {
                assertThat(reader.read(1).bytes().remaining()).isEqualTo(size);
                assertThat(reader.position()).isEqualTo(second);
                reader.seek(0);
                assertThat(reader.read(3 * size - 1).bytes().remaining()).isLessThanOrEqualTo(2 * size);
                reader.seek(0);
                assertThat(reader.read(0).nextOffset()).isEqualTo(second);
            }
        }
    }

    @Test
    default void aReadAtTheEndIsEmptyUntilAnAppend() {
        try (LogStore store = open()) {
            PartitionLog log = newLog(store);
            try (LogReader reader = log.reader(0)) {
                LogSlice nothing = reader.read(1 << 20);
                assertThat(nothing.isEmpty()).isTrue();
                assertThat(nothing.nextOffset()).isZero();
                append(log, "a");
                assertThat(reader.read(1 << 20).nextOffset()).isEqualTo(log.endOffset());
                assertThat(reader.read(1 << 20).isEmpty()).isTrue();
                assertThat(reader.position()).isEqualTo(log.endOffset()).isPositive();
            }
        }
    }

    @Test
    default void anOffsetOutOfRangeThrowsWithTheRange() {
        try (LogStore store = open()) {
            PartitionLog log = newLog(store);
            append(log, "a", "b", "c");
            long end = log.endOffset();
            log.trim(1);
            for (long offset : new long[] {-1, 0, end + 1, Long.MAX_VALUE, Long.MIN_VALUE}) {
                try (LogReader reader = log.reader(1)) {
                    reader.seek(offset);
                    assertThatExceptionOfType(OffsetOutOfRangeException.class)
                            .as("offset %d", offset)
                            .isThrownBy(() -> reader.read(1 << 20))
                            .satisfies(e -> assertThat(e.startOffset()).isEqualTo(1))
                            .satisfies(e -> assertThat(e.endOffset()).isEqualTo(end));
                    reader.seek(1);
                    assertThat(reader.read(1 << 20).nextOffset())
                            .as("end of a read after the refused one")
                            .isEqualTo(end);
                }
            }
        }
    }

    @Test
    default void aTrimInsideABatchMakesEarlierRecordsUnreadable() {
        try (LogStore store = open()) {
            PartitionLog log = newLog(store);
            append(log, "a", "b");
            long inside = append(log, "c", "d", "e") + 1;
            append(log, "f");
            long end = log.endOffset();
            log.trim(inside);
            assertThat(log.startOffset()).isEqualTo(inside);
            assertThat(log.endOffset()).isEqualTo(end);
            assertThat(values(log, inside)).containsExactly("d", "e", "f");
            assertThatExceptionOfType(OffsetOutOfRangeException.class).isThrownBy(() -> read(log, inside - 1));
            assertThat(log.firstAtOrAfter(0))
                    .as("search by time, which does not find trimmed records")
                    .hasValue(new OffsetAndTimestamp(inside, 0));
            log.trim(inside);
            log.trim(end);
            assertThat(log.startOffset()).isEqualTo(end);
            assertThat(values(log, end)).isEmpty();
            assertThat(append(log, "g")).as("offset of the next append").isGreaterThanOrEqualTo(end);
            assertThat(values(log, end)).containsExactly("g");
        }
    }

    @Test
    default void aTrimBackOrBeyondTheEndIsRefused() {
        try (LogStore store = open()) {
            PartitionLog log = newLog(store);
            append(log, "a", "b", "c");
            log.trim(2);
            for (long offset : new long[] {1, 0, -1, log.endOffset() + 1, Long.MAX_VALUE}) {
                assertThatExceptionOfType(OffsetOutOfRangeException.class)
                        .as("trim to %d", offset)
                        .isThrownBy(() -> log.trim(offset));
            }
            assertThat(log.startOffset()).isEqualTo(2);
            assertThat(values(log, 2)).containsExactly("c");
        }
    }

    @Test
    default void aTimeSearchReturnsTheFirstOffsetThatMatches() {
        try (LogStore store = open()) {
            PartitionLog log = newLog(store);
            assertThat(log.firstAtOrAfter(0)).isEmpty();
            append(log, batchAt(100, 100, 300));
            long second = append(log, batchAt(200));
            long third = append(log, batchAt(50, 400, 400));

            assertThat(log.firstAtOrAfter(Long.MIN_VALUE)).hasValue(new OffsetAndTimestamp(0, 100));
            assertThat(log.firstAtOrAfter(100)).hasValue(new OffsetAndTimestamp(0, 100));
            assertThat(log.firstAtOrAfter(101)).hasValue(new OffsetAndTimestamp(2, 300));
            assertThat(log.firstAtOrAfter(300)).hasValue(new OffsetAndTimestamp(2, 300));
            assertThat(log.firstAtOrAfter(301)).hasValue(new OffsetAndTimestamp(third + 1, 400));
            assertThat(log.firstAtOrAfter(401)).isEmpty();
            log.trim(second);
            assertThat(log.firstAtOrAfter(101)).hasValue(new OffsetAndTimestamp(second, 200));
            assertThat(log.firstAtOrAfter(1)).hasValue(new OffsetAndTimestamp(second, 200));
            log.trim(third + 2);
            assertThat(log.firstAtOrAfter(1)).hasValue(new OffsetAndTimestamp(third + 2, 400));
        }
    }

    /** Logs of earlier versions may have any timestamp. */
    @Test
    default void extremeTimestampsAreFoundAndRead() {
        try (LogStore store = open()) {
            PartitionLog log = newLog(store);
            append(log, batchAt(Long.MIN_VALUE, Long.MAX_VALUE, -1));
            long second = append(log, batchAt(Long.MAX_VALUE - 1, Long.MIN_VALUE));
            append(log, batchAt(Long.MIN_VALUE + 1));

            assertThat(log.firstAtOrAfter(Long.MIN_VALUE)).hasValue(new OffsetAndTimestamp(0, Long.MIN_VALUE));
            assertThat(log.firstAtOrAfter(Long.MIN_VALUE + 1)).hasValue(new OffsetAndTimestamp(1, Long.MAX_VALUE));
            assertThat(log.firstAtOrAfter(Long.MAX_VALUE)).hasValue(new OffsetAndTimestamp(1, Long.MAX_VALUE));
            log.trim(2);
            assertThat(log.firstAtOrAfter(0)).hasValue(new OffsetAndTimestamp(second, Long.MAX_VALUE - 1));
            assertThat(log.firstAtOrAfter(Long.MAX_VALUE)).isEmpty();
            assertThat(read(log, 2))
                    .extracting(LogRecord::timestamp)
                    .containsExactly(-1L, Long.MAX_VALUE - 1, Long.MIN_VALUE, Long.MIN_VALUE + 1);
        }
    }

    /**
     * Two threads wait for each other in turn. After a lost wake-up a round takes until the next look, which is a
     * second at least. On a slow machine some rounds may take that long too, but not most of them.
     */
    @Test
    default void anAppendWakesAThreadThatWaits() {
        int rounds = 200;
        Duration wait = Duration.ofMinutes(2);
        try (LogStore store = open()) {
            Topic topic = store.create(new TopicName("ping-pong"), 2, TopicSettings.DEFAULT.withSync(SyncLevel.OS));
            long[] nanos = new long[rounds];
            Together.run(2, player -> {
                PartitionLog mine = store.log(topic.id(), player);
                PartitionLog theirs = store.log(topic.id(), 1 - player);
                for (int round = 0; round < rounds; round++) {
                    long begun = System.nanoTime();
                    if (player == 0) {
                        append(theirs, "ball");
                    }
                    while (!awaitEndAbove(mine, round, wait)) {
                        Thread.onSpinWait();
                    }
                    if (player == 1) {
                        append(theirs, "ball");
                    } else {
                        nanos[round] = System.nanoTime() - begun;
                    }
                }
                return player;
            });
            Arrays.sort(nanos);
            assertThat(Duration.ofNanos(nanos[rounds / 2])).as("the median").isLessThan(Duration.ofMillis(500));
        }
    }

    @Test
    default void listenersAreCalledForAppendsUntilTheyAreClosed() throws InterruptedException {
        try (LogStore store = open()) {
            PartitionLog log = newLog(store);
            Semaphore heard = new Semaphore(0);
            AtomicInteger calls = new AtomicInteger();
            try (var stays = log.onAppend(heard::release)) {
                Registration goes = log.onAppend(calls::incrementAndGet);
                for (int i = 0; i < 1000 && calls.get() == 0; i++) {
                    appendAndAwaitCall(log, heard);
                }
                assertThat(calls.get()).isPositive();
                goes.close();
                int last = calls.get();
                for (int i = 0; i < 10; i++) {
                    appendAndAwaitCall(log, heard);
                }
                assertThat(calls.get() - last)
                        .as("calls after close, at most one that was in progress")
                        .isLessThanOrEqualTo(1);
                assertThat(stays).isNotNull();
            }
        }
    }

    private static void appendAndAwaitCall(PartitionLog log, Semaphore heard) throws InterruptedException {
        heard.drainPermits();
        append(log, "a");
        assertThat(heard.tryAcquire(30, TimeUnit.SECONDS))
                .as("the listener was called for the append")
                .isTrue();
    }

    @Test
    default void aBatchThatIsTooLargeIsNotWritten() {
        try (LogStore store = open()) {
            PartitionLog log = newLog(store, TopicSettings.DEFAULT.with("max.message.bytes", "200"));
            append(log, "a");
            assertThatExceptionOfType(RecordTooLargeException.class)
                    .isThrownBy(() -> log.append(batch("x".repeat(200))));
            long end = log.endOffset();
            assertThat(log.refresh()).isEqualTo(end);
            assertThat(append(log, "b")).isGreaterThanOrEqualTo(end);
            assertThat(values(log, 0)).containsExactly("a", "b");
        }
    }

    @Test
    default void batchesAreReadByteForByteWithTheirOffset() {
        try (LogStore store = open()) {
            PartitionLog log = newLog(store);
            List<byte[]> written = new ArrayList<>();
            for (CompressionKind compression : CompressionKind.values()) {
                EncodedBatch batch = batch(compression, "one " + compression, "two");
                long offset = append(log, batch);
                assertThat(BatchHeader.baseOffset(batch.array(), 0))
                        .as("offset in the caller's array")
                        .isEqualTo(offset);
                written.add(Arrays.copyOf(batch.array(), batch.size()));
                Arrays.fill(batch.array(), (byte) 0xEE); // the producer may reuse its array
            }
            try (LogReader reader = log.reader(0)) {
                for (byte[] batch : written) {
                    assertThat(reader.read(1).bytes()).isEqualTo(ByteBuffer.wrap(batch));
                }
            }
            assertThat(values(log, 0))
                    .contains("one none", "one gzip", "one snappy", "one lz4", "one zstd")
                    .hasSize(10);
        }
    }

    @Test
    default void onlyTheBatchInsideAnArrayIsAppended() {
        try (LogStore store = open()) {
            PartitionLog log = newLog(store);
            EncodedBatch alone = batch("a", "b");
            byte[] array = new byte[alone.size() + 20];
            Arrays.fill(array, (byte) 0x55);
            System.arraycopy(alone.array(), 0, array, 7, alone.size());
            append(log, "first");
            EncodedBatch inside = new EncodedBatch(array, 7, alone.size());
            long offset = append(log, inside);
            assertThat(offset).isPositive();
            assertThat(inside.baseOffset()).isEqualTo(offset);
            assertThat(array)
                    .startsWith(0x55, 0x55, 0x55, 0x55, 0x55, 0x55, 0x55)
                    .endsWith(0x55, 0x55);
            assertThat(values(log, 0)).containsExactly("first", "a", "b");
        }
    }

    @Test
    default void withLogAppendTimeRecordsGetTheTimeOfAppending() {
        try (LogStore store = open()) {
            PartitionLog log = newLog(store, TopicSettings.DEFAULT.with("message.timestamp.type", "LogAppendTime"));
            append(log, batchAt(5, 6));
            assertThat(read(log, 0))
                    .allSatisfy(record -> assertThat(record.timestamp()).isGreaterThan(6))
                    .extracting(LogRecord::timestamp)
                    .satisfies(times -> assertThat(times.getFirst()).isEqualTo(times.getLast()));
        }
    }

    @Test
    default void aNoteIsKeptUntilItIsReplaced() {
        try (LogStore store = open()) {
            PartitionLog log = newLog(store);
            assertThat(log.note("memory")).isEmpty();
            log.keepNote("memory", new byte[] {1, 2, 3});
            log.keepNote("other", new byte[0]);
            assertThat(log.note("memory"))
                    .hasValueSatisfying(note -> assertThat(note).containsExactly(1, 2, 3));
            log.keepNote("memory", new byte[] {4});
            assertThat(log.note("memory"))
                    .hasValueSatisfying(note -> assertThat(note).containsExactly(4));
            append(log, "a");
            assertThat(values(log, 0)).containsExactly("a");
        }
    }

    @Test
    default void withoutLossTheEpochEndsAtTheEndOfTheLog() {
        try (LogStore store = open()) {
            PartitionLog log = newLog(store);
            append(log, "a", "b");
            assertThat(log.leaderEpoch()).isZero();
            assertThat(log.endOfEpoch(0)).isEqualTo(log.endOffset()).isPositive();
        }
    }
}
