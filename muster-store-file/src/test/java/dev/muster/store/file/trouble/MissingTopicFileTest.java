package dev.muster.store.file.trouble;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.core.Topic;
import dev.muster.core.TopicName;
import dev.muster.core.TopicSettings;
import dev.muster.disk.DiskFile;
import dev.muster.store.LogStore;
import dev.muster.store.PartitionLog;
import dev.muster.store.TopicExistsException;
import dev.muster.store.file.FileStore;
import dev.muster.store.file.Stores;
import dev.muster.testkit.ExpectedTrouble;
import dev.muster.testkit.NumberedRecords;
import dev.muster.testkit.disk.MemoryDisk;
import dev.muster.testkit.disk.PacedMachine;
import dev.muster.testkit.disk.SimulatedProcess;
import dev.muster.testkit.disk.Tear;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Goal: a topic whose files are missing or damaged is not taken for a deleted one, and only a deleted one is. Method:
 * files are removed and restored, between opened stores and while stores are open.
 */
@ExtendWith(ExpectedTrouble.class)
class MissingTopicFileTest {
    private static final Path DIRECTORY = Path.of("/data");
    private static final Path NAME = DIRECTORY.resolve("topics/orders");
    private static final Path JSON = NAME.resolve("topic.json");
    private static final TopicName ORDERS = new TopicName("orders");
    private static final UUID BOOT = new UUID(6, 6);

    private final MemoryDisk machine = new MemoryDisk();
    private final SimulatedProcess hands = machine.process();

    private LogStore open() {
        return Stores.open(machine.process(), DIRECTORY, BOOT);
    }

    private Topic topicWithOneRecord() {
        try (LogStore store = open()) {
            Topic topic = store.create(ORDERS, 2, TopicSettings.DEFAULT);
            append(store.log(topic.id(), 0));
            return topic;
        }
    }

    private static void append(PartitionLog log) {
        log.awaitDurable(log.append(NumberedRecords.batch(1, 1)) + 1);
    }

    private Path logs(Topic topic) {
        return DIRECTORY.resolve("logs").resolve(topic.id().toString());
    }

    private void rewrite(Path file, byte[] content) throws IOException {
        hands.delete(file);
        try (DiskFile writing = hands.openForAppend(file)) {
            writing.append(content, 0, content.length);
        }
    }

    private void isThere(Topic topic) throws IOException {
        try (LogStore store = open()) {
            assertThat(store.find(ORDERS)).contains(topic);
            assertThat(store.list()).containsExactly(topic);
            assertThat(store.isDeleted(topic.id())).isFalse();
            assertThat(store.log(topic.id(), 0).endOffset()).isEqualTo(1);
            assertThatThrownBy(() -> store.create(ORDERS, 1, TopicSettings.DEFAULT))
                    .isInstanceOf(TopicExistsException.class);
        }
    }

    @Test
    void aMissingTopicFileIsRestoredFromItsCopy() throws IOException {
        Topic topic = topicWithOneRecord();
        byte[] before = hands.readAll(JSON);
        hands.delete(JSON);
        isThere(topic);
        assertThat(hands.readAll(JSON)).isEqualTo(before);
    }

    @Test
    void aMissingTopicFolderIsRestoredFromTheCopy() throws IOException {
        Topic topic = topicWithOneRecord();
        hands.deleteTree(NAME);
        isThere(topic);
        assertThat(hands.exists(JSON)).isTrue();
    }

    @Test
    void readOnlyProcessesFindATopicByItsCopy() throws IOException {
        Topic topic = topicWithOneRecord();
        hands.deleteTree(NAME);
        try (LogStore store = FileStore.open(
                DIRECTORY, Stores.options(machine.process(), BOOT).withReadOnly(true))) {
            assertThat(store.find(ORDERS)).contains(topic);
            assertThat(store.list()).containsExactly(topic);
        }
        assertThat(hands.exists(NAME)).isFalse();
    }

    @Test
    void damagedTopicFileIsDetectedAndTheCopyIsUsed() throws IOException {
        Topic topic = topicWithOneRecord();
        byte[] whole = hands.readAll(JSON);
        for (int at = 0; at < whole.length - 1; at++) {
            byte[] flipped = whole.clone();
            flipped[at] ^= 1;
            rewrite(JSON, flipped);
            try (LogStore store = open()) {
                assertThat(store.find(ORDERS)).as("byte %d flipped", at).contains(topic);
            }
        }
        rewrite(JSON, new byte[0]);
        isThere(topic);
    }

    @Test
    void aTopicWhoseFilesAreAllMissingIsNotDeleted() throws IOException {
        Topic topic = topicWithOneRecord();
        PacedMachine pace = new PacedMachine();
        try (LogStore store = Stores.open(machine.process(pace), DIRECTORY, BOOT)) {
            pace.awaitRest();
            assertThat(store.find(ORDERS)).isPresent();
            hands.rename(NAME, Path.of("/aside-name"));
            hands.rename(logs(topic), Path.of("/aside-logs"));
            assertThat(store.find(ORDERS)).isEmpty();
            assertThat(store.isDeleted(topic.id())).isFalse();
            assertThatThrownBy(() -> store.create(ORDERS, 1, TopicSettings.DEFAULT))
                    .hasMessageContaining("missing");
            hands.rename(Path.of("/aside-logs"), logs(topic));
            assertThat(store.find(ORDERS)).contains(topic);
        }
        isThere(topic);
    }

    @Test
    void deletionIsKnownToOtherProcessesAndAfterAReboot() throws IOException {
        Topic topic = topicWithOneRecord();
        try (LogStore store = open();
                LogStore other = open()) {
            assertThat(other.isDeleted(topic.id())).isFalse();
            store.delete(ORDERS);
            assertThat(other.isDeleted(topic.id())).isTrue();
            assertThat(other.find(ORDERS)).isEmpty();
        }
        machine.powerCut(new Random(1), Tear.SECTORS);
        try (LogStore store = Stores.open(machine.process(), DIRECTORY, new UUID(6, 7))) {
            assertThat(store.isDeleted(topic.id())).isTrue();
        }
    }

    @Test
    void aTopicWithoutItsFileCanBeDeleted() throws IOException {
        Topic topic = topicWithOneRecord();
        PacedMachine pace = new PacedMachine();
        try (LogStore store = Stores.open(machine.process(pace), DIRECTORY, BOOT)) {
            pace.awaitRest();
            hands.deleteTree(NAME);
            store.delete(ORDERS);
            assertThat(store.find(ORDERS)).isEmpty();
            assertThat(store.isDeleted(topic.id())).isTrue();
            assertThat(store.create(ORDERS, 1, TopicSettings.DEFAULT).id()).isNotEqualTo(topic.id());
        }
        assertThat(hands.exists(logs(topic))).isFalse();
    }

    @Test
    void directoryOfAnEarlierVersionGetsCopies() throws IOException {
        Topic topic = topicWithOneRecord();
        Path copy = logs(topic).resolve("topic.json");
        byte[] content = hands.readAll(copy);
        hands.delete(copy);
        String text = new String(hands.readAll(JSON), StandardCharsets.UTF_8);
        rewrite(JSON, text.replaceAll(",\"crc\":\"[0-9a-f]+\"", "").getBytes(StandardCharsets.UTF_8));
        try (LogStore store = open()) {
            assertThat(store.find(ORDERS)).contains(topic);
            append(store.log(topic.id(), 1));
        }
        assertThat(hands.readAll(copy)).isEqualTo(content);
    }

    /** Without a copy only topic.json has the topic's id. A new topic of this name would replace it. */
    @Test
    void emptyTopicFolderStaysTakenWhileRecordsHaveNoName() throws IOException {
        Topic topic = topicWithOneRecord();
        hands.delete(logs(topic).resolve("topic.json"));
        byte[] json = hands.readAll(JSON);
        hands.delete(JSON);
        try (LogStore store = open()) {
            assertThatThrownBy(() -> store.create(ORDERS, 1, TopicSettings.DEFAULT))
                    .hasMessageContaining("topic.json is missing");
        }
        rewrite(JSON, json);
        isThere(topic);
    }

    @Test
    void upkeepRewritesACopyThatDiffers() throws IOException {
        Topic topic = topicWithOneRecord();
        Path copy = logs(topic).resolve("topic.json");
        byte[] content = hands.readAll(copy);
        rewrite(copy, new byte[] {'{'});
        try (LogStore store = housekeeper()) {
            await(() -> Arrays.equals(hands.readAll(copy), content));
            assertThat(store.list()).containsExactly(topic);
        }
    }

    /** A person restored the files of a deleted topic: they are hidden, and no process deletes them again. */
    @Test
    void recordsOfADeletedTopicThatWereRestoredAreKept() throws IOException {
        Topic topic = topicWithOneRecord();
        byte[] segment = hands.readAll(logs(topic).resolve("partition-0/00000000000000000000.log"));
        try (LogStore store = open()) {
            store.delete(ORDERS);
        }
        Path restored = logs(topic).resolve("partition-0/00000000000000000000.log");
        hands.createFolders(restored.getParent());
        rewrite(restored, segment);
        try (LogStore store = housekeeper()) {
            Path trash = DIRECTORY.resolve(".trash");
            // A round that is in progress now is over once this file is deleted.
            for (int i = 0; i < 2; i++) {
                Path left = trash.resolve(new UUID(1, i) + ".topic");
                hands.createFolders(left);
                await(() -> !hands.exists(left));
            }
            assertThat(store.find(ORDERS)).isEmpty();
        }
        assertThat(hands.readAll(restored)).isEqualTo(segment);
    }

    private LogStore housekeeper() {
        return FileStore.open(
                DIRECTORY, Stores.options(machine.process(), BOOT).withRetentionInterval(Duration.ofMillis(1)));
    }

    private interface Condition {
        boolean holds() throws IOException;
    }

    private static void await(Condition condition) throws IOException {
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
        while (!condition.holds()) {
            assertThat(System.nanoTime()).as("time is over").isLessThan(deadline);
            LockSupport.parkNanos(1_000_000);
        }
    }
}
