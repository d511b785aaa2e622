package dev.muster.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.core.SyncLevel;
import dev.muster.core.Topic;
import dev.muster.core.TopicName;
import dev.muster.core.TopicSettings;
import dev.muster.store.PartitionLog;
import dev.muster.store.TopicNotFoundException;
import dev.muster.store.file.topic.DeletedTopics;
import dev.muster.store.file.topic.DeletionMarks;
import dev.muster.store.file.topic.TopicFolders;
import java.io.IOException;
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
            assertThat(log.append(Batches.of("a", "b"))).isZero();
            assertThat(log.append(Batches.of("c"))).isEqualTo(2);
            log.awaitDurable(3);
            assertThat(Batches.read(log, 0)).containsExactly("a", "b", "c");
        }
        try (FileStore store = open()) {
            PartitionLog log = store.log(store.find(ORDERS).orElseThrow().id(), 1);
            assertThat(Batches.read(log, 1)).containsExactly("b", "c");
            assertThat(log.append(Batches.of("d"))).isEqualTo(3);
        }
    }

    @Test
    void readersReadThroughAllSegments() {
        TopicSettings small = TopicSettings.DEFAULT
                .withSync(SyncLevel.OS)
                .withSegmentBytes(2048)
                .with("index.interval.bytes", "256");
        try (FileStore store = open()) {
            PartitionLog log = store.log(store.create(ORDERS, 1, small).id(), 0);
            List<String> written = new ArrayList<>();
            for (int i = 0; i < 500; i++) {
                written.add("value-" + i);
                log.append(Batches.of("value-" + i));
            }
            assertThat(Batches.read(log, 0)).isEqualTo(written);
            for (int i = 0; i < 500; i += 7) {
                assertThat(Batches.read(log, i)).isEqualTo(written.subList(i, 500));
            }
            assertThat(log.sizeBytes()).isGreaterThan(500 * 61);
        }
    }

    @Test
    void addedPartitionIsFoundThoughItsCreatorDied() throws IOException {
        try (FileStore store = open();
                FileStore beside = open()) {
            Topic topic = store.create(ORDERS, 1, TopicSettings.DEFAULT);
            assertThat(store.partitions(topic.id())).isEqualTo(1);
            assertThat(beside.partitions(topic.id())).isEqualTo(1);
            FileStoreOptions options = FileStoreOptions.defaults();
            DeletedTopics deletions =
                    new DeletedTopics(options.disk(), store.layout().deletedTopics());
            new TopicFolders(options.disk(), store.layout(), options.runtime(), deletions, DeletionMarks.NONE, false)
                    .addPartitions(ORDERS, 2);
            assertThat(beside.log(topic.id(), 1).endOffset()).isZero();
            assertThat(beside.partitions(topic.id())).isEqualTo(2);
            assertThatThrownBy(() -> beside.log(topic.id(), 2)).isInstanceOf(TopicNotFoundException.class);
        }
    }

    private FileStore open() {
        return FileStore.open(directory.resolve("data"), FileStoreOptions.defaults());
    }
}
