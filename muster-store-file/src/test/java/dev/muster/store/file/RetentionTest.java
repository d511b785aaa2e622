package dev.muster.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.core.SyncLevel;
import dev.muster.core.TopicName;
import dev.muster.core.TopicSettings;
import dev.muster.disk.BootId;
import dev.muster.store.OffsetOutOfRangeException;
import dev.muster.store.PartitionLog;
import dev.muster.store.file.log.FilePartition;
import dev.muster.store.file.log.RetentionSchedule;
import dev.muster.store.read.LogReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Retention removes whole segments from the front, and no reader ever gets another record in place of a removed one.
 */
class RetentionTest {
    private static final TopicName ORDERS = new TopicName("orders");
    private static final TopicSettings DEFAULT = TopicSettings.DEFAULT;
    private static final TopicSettings SMALL = DEFAULT.withSync(SyncLevel.OS).withSegmentBytes(1024);

    private static final TopicSettings FOR_EVER = SMALL.with("retention.ms", "-1");

    @TempDir
    Path parent;

    @Test
    void tooLargeLogLosesItsOldestSegments() {
        try (FileStore store = open()) {
            FilePartition log = fill(store, FOR_EVER.with("retention.bytes", "4000"), 200);
            log.retain(in(Duration.ZERO));
            assertThat(log.sizeBytes()).isBetween(4000L, 5500L);
            assertThat(log.startOffset()).isPositive();
            assertThat(log.endOffset()).isEqualTo(200);
            assertThat(Batches.read(log, log.startOffset())).hasSize((int) (200 - log.startOffset()));
        }
    }

    @Test
    void tooOldRecordsAreRemovedEvenFromTheLastSegment() {
        try (FileStore store = open()) {
            FilePartition log = fill(store, SMALL, 50);
            log.retain(in(Duration.ofDays(8)));
            assertThat(log.startOffset()).isEqualTo(50);
            assertThat(log.append(Batches.of("next"))).isEqualTo(50);
        }
    }

    /** The times of these records are in 1970: an import, or a producer with a wrong clock. */
    @Test
    void recordsWithOldTimesAreKeptAsLongAsOthers() {
        try (FileStore store = open()) {
            FilePartition log = fill(store, SMALL, 50);
            log.retain(in(Duration.ZERO));
            log.retain(in(Duration.ofDays(6)));
            assertThat(log.startOffset()).isZero();
        }
    }

    @Test
    void withoutAnAgreedTimeNothingIsRemovedByAge() {
        try (FileStore store = open()) {
            FilePartition log = fill(store, SMALL.with("retention.bytes", "4000"), 200);
            log.retain(OptionalLong.empty());
            assertThat(log.sizeBytes()).as("size still counts").isBetween(4000L, 5500L);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {Long.MIN_VALUE, -1, 0, Long.MAX_VALUE - 1, Long.MAX_VALUE})
    void noTimeOfARecordOverflows(long time) {
        try (FileStore store = open()) {
            FilePartition log = store.log(store.create(ORDERS, 1, SMALL).id(), 0);
            log.append(Batches.at(time, "odd"));
            RetentionSchedule rest = log.retain(in(Duration.ZERO));
            assertThat(log.startOffset()).isZero();
            assertThat(rest.lasts(SMALL, in(Duration.ZERO).orElseThrow())).isTrue();
            log.retain(OptionalLong.of(Long.MIN_VALUE));
            assertThat(log.startOffset()).isZero();
        }
    }

    @Test
    void aSegmentWithTheLargestAgeIsNeverTooOld() {
        try (FileStore store = open()) {
            FilePartition log = fill(
                    store, FOR_EVER.withSegmentBytes(1 << 20).with("segment.ms", Long.toString(Long.MAX_VALUE)), 10);
            assertThat(log.endOffset()).isEqualTo(10);
            assertThat(parent.resolve("data/logs/" + log.topicId() + "/partition-0"))
                    .isDirectoryContaining("glob:**/*.log")
                    .isDirectoryNotContaining("glob:**/00000000000000000001.log");
        }
    }

    /** Kafka's default of this setting. */
    @Test
    void theLargestFlushIntervalDoesNotStopTheUpkeep() {
        List<String> messages = new CopyOnWriteArrayList<>();
        Logger logger = Logger.getLogger(Housekeeping.class.getName());
        Handler handler = new Messages(messages);
        logger.addHandler(handler);
        try (FileStore store = openWithClock(Duration.ZERO)) {
            fill(store, DEFAULT.withSync(SyncLevel.INTERVAL).with("flush.ms", Long.toString(Long.MAX_VALUE)), 3);
            awaitRound(store);
            awaitRound(store);
        } finally {
            logger.removeHandler(handler);
        }
        assertThat(messages).noneMatch(message -> message.contains("overflow"));
    }

    /** Collects the log messages. */
    private static final class Messages extends Handler {
        private final List<String> messages;

        Messages(List<String> messages) {
            this.messages = messages;
        }

        @Override
        public void publish(LogRecord record) {
            messages.add(record.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }

    @Test
    void readerBelowTheStartGetsOutOfRange() {
        try (FileStore store = open()) {
            FilePartition log = fill(store, FOR_EVER.with("retention.bytes", "2000"), 200);
            try (LogReader reader = log.reader(3)) {
                assertThat(reader.read(100).isEmpty()).isFalse();
                log.retain(in(Duration.ZERO));
                assertThatThrownBy(() -> reader.read(100)).isInstanceOf(OffsetOutOfRangeException.class);
            }
            assertThatThrownBy(() -> log.reader(0).read(100)).isInstanceOf(OffsetOutOfRangeException.class);
        }
    }

    @Test
    @Timeout(value = 5, unit = TimeUnit.MINUTES)
    void upkeepAppliesRetentionByItself() {
        FileStoreOptions options = FileStoreOptions.defaults().withRetentionInterval(Duration.ofMillis(100));
        try (FileStore store = FileStore.open(parent.resolve("data"), options)) {
            PartitionLog log = fill(store, FOR_EVER.with("retention.bytes", "2000"), 100);
            while (log.startOffset() == 0) {
                Thread.onSpinWait();
            }
            assertThat(log.endOffset()).isEqualTo(100);
        }
    }

    private FileStore openWithClock(Duration ahead) {
        return FileStore.open(
                parent.resolve("data"),
                FileStoreOptions.defaults()
                        .withClock(Clock.offset(Clock.systemUTC(), ahead))
                        .withRetentionInterval(Duration.ofMillis(20)));
    }

    /** Returns when the upkeep has removed segments from a topic that exists for this purpose. */
    private static void awaitRound(FileStore store) {
        TopicName large = new TopicName("large-" + System.nanoTime());
        PartitionLog log = store.log(
                store.create(large, 1, FOR_EVER.with("retention.bytes", "2000")).id(), 0);
        for (int i = 0; i < 100; i++) {
            log.append(Batches.at(i, "value " + i));
        }
        awaitTrue(() -> log.startOffset() > 0);
    }

    /** Until the first upkeep a directory without topics counts as new, and its first clock is accepted. */
    private static void awaitAgreedTime(FileStore store) {
        awaitTrue(() -> Files.exists(store.layout().housekeepingPage(BootId.read())));
    }

    private static void awaitTrue(BooleanSupplier condition) {
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            LockSupport.parkNanos(1_000_000);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {30, -30})
    @Timeout(value = 5, unit = TimeUnit.MINUTES)
    void aProcessWithAWrongClockTrimsNothingByAge(int daysAhead) {
        try (FileStore right = open()) {
            awaitAgreedTime(right);
            FilePartition log = fill(right, SMALL, 50);
            try (FileStore wrong = openWithClock(Duration.ofDays(daysAhead))) {
                wrong.log(log.topicId(), 0).append(Batches.at(System.currentTimeMillis(), "now"));
                awaitRound(wrong);
                awaitRound(wrong);
                assertThat(log.startOffset()).isZero();
            }
        }
    }

    @Test
    @Timeout(value = 5, unit = TimeUnit.MINUTES)
    void segmentWrittenLongAgoIsRemovedByTheUpkeep() throws Exception {
        try (FileStore store = open()) {
            awaitAgreedTime(store);
            FilePartition log = fill(store, SMALL, 50);
            Path folder = parent.resolve("data/logs/" + log.topicId() + "/partition-0");
            FileTime longAgo = FileTime.from(Instant.now().minus(Duration.ofDays(8)));
            try (Stream<Path> files = Files.list(folder)) {
                for (Path file : (Iterable<Path>) files.filter(f -> f.toString().endsWith(".log"))::iterator) {
                    Files.setLastModifiedTime(file, longAgo);
                }
            }
            try (FileStore keeper = openWithClock(Duration.ZERO)) {
                awaitRound(keeper);
                awaitTrue(() -> log.startOffset() == 50);
            }
        }
    }

    @Test
    void partitionIsCheckedAgainWhenItGrowsOrASegmentIsDue() {
        try (FileStore store = open()) {
            FilePartition log = fill(store, SMALL, 50);
            long now = in(Duration.ZERO).orElseThrow();
            RetentionSchedule rest = log.retain(OptionalLong.of(now));
            assertThat(rest.lasts(SMALL, now)).isTrue();
            assertThat(rest.lasts(FOR_EVER, now)).as("other settings").isFalse();
            assertThat(rest.lasts(SMALL, in(Duration.ofDays(7).plusSeconds(1)).orElseThrow()))
                    .as("later")
                    .isFalse();
            log.append(Batches.at(6000, "more"));
            assertThat(rest.lasts(SMALL, now)).as("grown").isFalse();
            assertThat(log.retain(OptionalLong.of(now)).lasts(SMALL, now)).isTrue();
        }
        try (FileStore store = FileStore.open(
                parent.resolve("other"), FileStoreOptions.defaults().withRetentionInterval(Duration.ofDays(1)))) {
            FilePartition empty = store.log(store.create(ORDERS, 1, SMALL).id(), 0);
            assertThat(empty.retain(in(Duration.ZERO)).lasts(SMALL, Long.MAX_VALUE))
                    .as("nothing in it")
                    .isTrue();
        }
    }

    private FileStore open() {
        return FileStore.open(
                parent.resolve("data"), FileStoreOptions.defaults().withRetentionInterval(Duration.ofDays(1)));
    }

    /** The time after this duration from now. Files have the time of the machine. */
    private static OptionalLong in(Duration later) {
        return OptionalLong.of(System.currentTimeMillis() + later.toMillis());
    }

    private static FilePartition fill(FileStore store, TopicSettings settings, int records) {
        FilePartition log = store.log(store.create(ORDERS, 1, settings).id(), 0);
        for (int i = 0; i < records; i++) {
            log.append(Batches.at(1000 + i, "value " + i));
        }
        return log;
    }
}
