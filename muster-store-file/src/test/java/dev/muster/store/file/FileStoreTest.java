package dev.muster.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.CompressionKind;
import dev.muster.core.SyncLevel;
import dev.muster.core.TopicName;
import dev.muster.core.TopicSettings;
import dev.muster.store.LogReader;
import dev.muster.store.LogSlice;
import dev.muster.store.PartitionLog;
import dev.muster.store.Topic;
import dev.muster.store.batch.BatchBuilder;
import dev.muster.store.batch.BatchDecoder;
import dev.muster.store.batch.EncodedBatch;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The file store on a real disk, one process. */
class FileStoreTest {
    private static final TopicName ORDERS = new TopicName("orders");

    @TempDir
    Path directory;

    @Test
    void recordsAreReadBackAfterTheStoreWasOpenedAgain() {
        try (FileStore store = open()) {
            Topic topic = store.create(ORDERS, 2, TopicSettings.DEFAULT);
            PartitionLog log = store.log(topic.id(), 1);
            assertThat(log.append(batch("a", "b"))).isZero();
            assertThat(log.append(batch("c"))).isEqualTo(2);
            log.awaitDurable(3);
            assertThat(read(log, 0)).containsExactly("a", "b", "c");
        }
        try (FileStore store = open()) {
            PartitionLog log = store.log(store.find(ORDERS).orElseThrow().id(), 1);
            assertThat(read(log, 1)).containsExactly("b", "c");
            assertThat(log.append(batch("d"))).isEqualTo(3);
        }
    }

    @Test
    void whatIsWrittenIsVisibleOnlyOnceItIsDurable() {
        try (FileStore store = open()) {
            PartitionLog log =
                    store.log(store.create(ORDERS, 1, TopicSettings.DEFAULT).id(), 0);
            log.append(batch("a"));
            assertThat(log.endOffset()).isZero();
            log.awaitDurable(1);
            assertThat(log.endOffset()).isEqualTo(1);
        }
    }

    @Test
    void segmentsRollAndReadersWalkThroughAllOfThem() {
        TopicSettings small = TopicSettings.DEFAULT
                .withSync(SyncLevel.OS)
                .withSegmentBytes(2048)
                .with("index.interval.bytes", "256");
        try (FileStore store = open()) {
            PartitionLog log = store.log(store.create(ORDERS, 1, small).id(), 0);
            List<String> written = new ArrayList<>();
            for (int i = 0; i < 500; i++) {
                written.add("value-" + i);
                log.append(batch("value-" + i));
            }
            assertThat(read(log, 0)).isEqualTo(written);
            for (int i = 0; i < 500; i += 7) {
                assertThat(read(log, i)).isEqualTo(written.subList(i, 500));
            }
            assertThat(log.sizeBytes()).isGreaterThan(500 * 61);
        }
    }

    private FileStore open() {
        return FileStore.open(directory.resolve("data"), FileStoreOptions.defaults());
    }

    private static EncodedBatch batch(String... values) {
        BatchBuilder builder = new BatchBuilder(new byte[64 << 10], CompressionKind.NONE);
        for (String value : values) {
            assertThat(builder.tryAppend(1000, null, value.getBytes(StandardCharsets.UTF_8), List.of()))
                    .isTrue();
        }
        return builder.finish(-1, (short) -1, -1);
    }

    private static List<String> read(PartitionLog log, long from) {
        List<String> values = new ArrayList<>();
        try (LogReader reader = log.reader(from)) {
            for (LogSlice slice = reader.read(1024); !slice.isEmpty(); slice = reader.read(1024)) {
                BatchDecoder records = BatchDecoder.over(slice.bytes());
                while (records.next()) {
                    if (records.offset() >= from) {
                        values.add(new String(records.value(), StandardCharsets.UTF_8));
                    }
                }
            }
        }
        return values;
    }
}
