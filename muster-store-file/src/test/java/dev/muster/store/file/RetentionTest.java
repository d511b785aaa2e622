package dev.muster.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.core.SyncLevel;
import dev.muster.core.TopicName;
import dev.muster.core.TopicSettings;
import dev.muster.store.LogReader;
import dev.muster.store.OffsetOutOfRangeException;
import dev.muster.store.PartitionLog;
import dev.muster.store.file.log.FilePartition;
import dev.muster.store.file.log.Rest;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Old segments go, from the front and whole, and nobody ever gets another record for one that went. */
class RetentionTest {
    private static final TopicName ORDERS = new TopicName("orders");
    private static final TopicSettings SMALL =
            TopicSettings.DEFAULT.withSync(SyncLevel.OS).withSegmentBytes(1024);

    private static final TopicSettings FOR_EVER = SMALL.with("retention.ms", "-1");

    @TempDir
    Path parent;

    @Test
    void aLogThatIsTooLargeLosesItsOldestSegments() {
        try (FileStore store = open(Clock.systemUTC())) {
            FilePartition log = fill(store, FOR_EVER.with("retention.bytes", "4000"), 200);
            log.retain();
            assertThat(log.sizeBytes()).isBetween(4000L, 5500L);
            assertThat(log.startOffset()).isPositive();
            assertThat(log.endOffset()).isEqualTo(200);
            assertThat(Batches.read(log, log.startOffset())).hasSize((int) (200 - log.startOffset()));
        }
    }

    @Test
    void recordsThatAreTooOldGoEvenFromTheLastSegment() {
        Clock later = Clock.fixed(Instant.ofEpochMilli(1000).plus(Duration.ofDays(8)), ZoneOffset.UTC);
        try (FileStore store = open(later)) {
            FilePartition log = fill(store, SMALL, 50);
            log.retain();
            assertThat(log.startOffset()).isEqualTo(50);
            assertThat(log.append(Batches.of("next"))).isEqualTo(50);
        }
    }

    @Test
    void aReaderBelowTheStartIsToldSoAndGetsNothingElse() {
        try (FileStore store = open(Clock.systemUTC())) {
            FilePartition log = fill(store, FOR_EVER.with("retention.bytes", "2000"), 200);
            try (LogReader reader = log.reader(3)) {
                assertThat(reader.read(100).isEmpty()).isFalse();
                log.retain();
                assertThatThrownBy(() -> reader.read(100)).isInstanceOf(OffsetOutOfRangeException.class);
            }
            assertThatThrownBy(() -> log.reader(0).read(100)).isInstanceOf(OffsetOutOfRangeException.class);
        }
    }

    @Test
    @Timeout(value = 60, unit = TimeUnit.SECONDS)
    void someProcessDoesItByItself() {
        FileStoreOptions options = FileStoreOptions.defaults().withRetentionInterval(Duration.ofMillis(100));
        try (FileStore store = FileStore.open(parent.resolve("data"), options)) {
            PartitionLog log = fill(store, FOR_EVER.with("retention.bytes", "2000"), 100);
            while (log.startOffset() == 0) {
                Thread.onSpinWait();
            }
            assertThat(log.endOffset()).isEqualTo(100);
        }
    }

    @Test
    void aPartitionRestsUntilItGrowsOrATimeHasCome() {
        Clock now = Clock.fixed(Instant.ofEpochMilli(5000), ZoneOffset.UTC);
        try (FileStore store = open(now)) {
            FilePartition log = fill(store, SMALL, 50);
            long due = 1000 + 49 + SMALL.retentionTime().toMillis();
            Rest rest = log.retain();
            assertThat(rest.lasts(SMALL, 5000)).isTrue();
            assertThat(rest.lasts(FOR_EVER, 5000)).as("other settings").isFalse();
            assertThat(rest.lasts(SMALL, due + 1)).as("later").isFalse();
            log.append(Batches.at(6000, "more"));
            assertThat(rest.lasts(SMALL, 5000)).as("grown").isFalse();
            assertThat(log.retain().lasts(SMALL, 5000)).isTrue();
        }
        try (FileStore store = FileStore.open(
                parent.resolve("other"), FileStoreOptions.defaults().withRetentionInterval(Duration.ofDays(1)))) {
            FilePartition empty =
                    (FilePartition) store.log(store.create(ORDERS, 1, SMALL).id(), 0);
            assertThat(empty.retain().lasts(SMALL, Long.MAX_VALUE))
                    .as("nothing in it")
                    .isTrue();
        }
    }

    private FileStore open(Clock clock) {
        return FileStore.open(
                parent.resolve("data"),
                FileStoreOptions.defaults().withClock(clock).withRetentionInterval(Duration.ofDays(1)));
    }

    private static FilePartition fill(FileStore store, TopicSettings settings, int records) {
        FilePartition log =
                (FilePartition) store.log(store.create(ORDERS, 1, settings).id(), 0);
        for (int i = 0; i < records; i++) {
            log.append(Batches.at(1000 + i, "value " + i));
        }
        return log;
    }
}
