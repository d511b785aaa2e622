package dev.muster.store.file;

import static dev.muster.testkit.ContractRecords.awaitEndAbove;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.core.MusterException;
import dev.muster.core.SyncLevel;
import dev.muster.core.Topic;
import dev.muster.core.TopicName;
import dev.muster.core.TopicSettings;
import dev.muster.disk.BootId;
import dev.muster.disk.FileIdentity;
import dev.muster.disk.local.NativeDisk;
import dev.muster.store.PartitionLog;
import dev.muster.store.watch.Registration;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Pages are derived: they may be deleted, or replaced by older ones, while stores have them open. */
class VanishedPagesTest {
    private static final TopicName ORDERS = new TopicName("orders");
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @TempDir
    Path directory;

    private FileStore store;
    private Topic topic;
    private PartitionLog log;

    @BeforeEach
    void makeALog() {
        store = open();
        topic = store.create(ORDERS, 1, TopicSettings.DEFAULT);
        log = store.log(topic.id(), 0);
        write(log, "a");
    }

    @AfterEach
    void closeIt() {
        store.close();
    }

    @Test
    void readerOfADeletedPageSeesRecordsOfANewProcess() throws IOException {
        Files.delete(page());
        try (FileStore fresh = open()) {
            write(fresh.log(topic.id(), 0), "b");
            assertThat(awaitEndAbove(log, 1, PATIENCE)).isTrue();
            assertThat(Batches.read(log, 0)).containsExactly("a", "b");
            write(log, "c");
            assertThat(Batches.read(fresh.log(topic.id(), 0), 0)).containsExactly("a", "b", "c");
        }
    }

    @Test
    void recordIsOnTheNewPageBeforeItIsAcknowledged() throws IOException {
        Files.delete(page());
        try (FileStore fresh = open()) {
            PartitionLog beside = fresh.log(topic.id(), 0);
            write(log, "b");
            assertThat(Batches.read(beside, 0)).containsExactly("a", "b");
            assertThat(write(beside, "c")).isEqualTo(2);
            assertThat(write(log, "d")).isEqualTo(3);
            assertThat(Batches.read(beside, 0)).containsExactly("a", "b", "c", "d");
        }
    }

    @Test
    void writersOnDifferentPagesNeverGiveTheSameOffset() throws IOException {
        for (int round = 0; round < 5; round++) {
            Files.delete(page());
            try (FileStore fresh = open()) {
                PartitionLog beside = fresh.log(topic.id(), 0);
                long first = log.append(Batches.of("x"));
                long second = beside.append(Batches.of("y"));
                long third = log.append(Batches.of("z"));
                assertThat(second).isEqualTo(first + 1);
                assertThat(third).isEqualTo(second + 1);
                log.awaitDurable(third + 1);
                beside.awaitDurable(second + 1);
                assertThat(Batches.read(beside, first)).containsExactly("x", "y", "z");
            }
        }
    }

    /** The state after an rsync in the same boot: the page is a copy and has a lower end than the log. */
    @Test
    void copiedPageOfAnEarlierTimeHidesNoRecord() throws IOException {
        byte[] earlier = Files.readAllBytes(page());
        write(log, "b");
        store.close();
        Path page = page();
        Files.delete(page);
        Files.write(page, earlier);
        store = open();
        assertThat(Batches.read(store.log(topic.id(), 0), 0)).containsExactly("a", "b");
    }

    /** The state after a {@code cp} in the same boot: the page is in its own file and has a lower end than the log. */
    @ParameterizedTest
    @ValueSource(ints = {1, 1_000})
    void anOverwrittenControlPageHidesNoRecord(int recordSize) throws IOException {
        // The larger records are in segments of their own.
        store.alter(ORDERS, TopicSettings.DEFAULT.withSegmentBytes(1_024));
        byte[] earlier = Files.readAllBytes(page());
        write(log, "b".repeat(recordSize));
        write(log, "c".repeat(recordSize));
        store.close();
        Files.write(page(), earlier);
        store = open();
        log = store.log(topic.id(), 0);
        assertThat(Batches.read(log, 0)).containsExactly("a", "b".repeat(recordSize), "c".repeat(recordSize));
        assertThat(write(log, "d")).isEqualTo(3);
        assertThat(Batches.read(log, 3)).containsExactly("d");
    }

    @Test
    void recordOfAWriterThatDiedBeforeItRaisedTheEndIsSeen() throws IOException {
        store.alter(ORDERS, TopicSettings.DEFAULT.withSync(SyncLevel.OS));
        byte[] earlier = Files.readAllBytes(page());
        log.append(Batches.of("b"));
        Files.write(page(), earlier);
        try (FileStore fresh = open()) {
            assertThat(Batches.read(fresh.log(topic.id(), 0), 0)).containsExactly("a", "b");
        }
    }

    @Test
    void changedSettingsAreSeenThroughANewTopicPage() throws IOException {
        Files.delete(topicPage());
        try (FileStore fresh = open()) {
            fresh.alter(ORDERS, TopicSettings.DEFAULT.with("retention.ms", "12345"));
            await(() -> log.topic().settings().toMap().get("retention.ms").equals("12345"));
            fresh.addPartitions(ORDERS, 3);
            await(() -> store.partitions(topic.id()) == 3);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 8, 24, 100, 4095})
    void truncatedControlPageChangesNoResult(int size) throws IOException {
        write(log, "b");
        truncate(page(), size);
        assertThat(log.endOffset()).isEqualTo(2);
        assertThat(Batches.read(log, 0)).containsExactly("a", "b");
        assertThat(write(log, "c")).isEqualTo(2);
        assertThat(log.endOffset()).isEqualTo(3);
        try (FileStore fresh = open()) {
            PartitionLog beside = fresh.log(topic.id(), 0);
            assertThat(write(beside, "d")).isEqualTo(3);
            assertThat(awaitEndAbove(log, 3, PATIENCE)).isTrue();
            assertThat(write(log, "e")).isEqualTo(4);
            assertThat(Batches.read(beside, 0)).containsExactly("a", "b", "c", "d", "e");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 8, 100, 4095})
    void truncatedWakePageIsReplaced(int size) throws IOException {
        Path page = store.layout().wakePage(BootId.read());
        FileIdentity old = NativeDisk.orFallback().identity(page);
        AtomicInteger woken = new AtomicInteger();
        try (Registration _ = log.onAppend(woken::incrementAndGet)) {
            // The waking thread must wait by now: if a page shrinks between its check and its store, the JVM ends.
            await(() -> {
                int before = woken.get();
                write(log, "x");
                return woken.get() > before;
            });
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
            long end = log.endOffset();
            truncate(page, size);
            try (FileStore fresh = open()) {
                PartitionLog beside = fresh.log(topic.id(), 0);
                write(beside, "b");
                assertThat(awaitEndAbove(log, end, PATIENCE)).isTrue();
                assertThat(NativeDisk.orFallback().identity(page)).isNotEqualTo(old);
                await(() -> {
                    int before = woken.get();
                    write(beside, "c");
                    return woken.get() > before;
                });
            }
        }
    }

    @Test
    void truncatedTopicPageChangesNoResult() throws IOException {
        truncate(topicPage(), 0);
        assertThat(store.partitions(topic.id())).isEqualTo(1);
        assertThat(write(log, "b")).isEqualTo(1);
        try (FileStore fresh = open()) {
            fresh.addPartitions(ORDERS, 2);
            await(() -> store.partitions(topic.id()) == 2);
            fresh.delete(ORDERS);
            await(() -> store.find(ORDERS).isEmpty());
            assertThatThrownBy(() -> write(log, "c")).isInstanceOf(MusterException.class);
        }
    }

    private static void truncate(Path file, int size) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(size);
        }
    }

    private static void await(BooleanSupplier condition) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("in time").isLessThan(deadline);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
    }

    private static long write(PartitionLog log, String value) {
        long offset = log.append(Batches.of(value));
        log.awaitDurable(offset + 1);
        return offset;
    }

    private FileStore open() {
        return FileStore.open(directory.resolve("data"), FileStoreOptions.defaults());
    }

    private Path page() throws IOException {
        return pageIn(store.layout().partition(topic.id(), 0));
    }

    private Path topicPage() throws IOException {
        return pageIn(store.layout().log(topic.id()));
    }

    private static Path pageIn(Path folder) throws IOException {
        try (var files = Files.list(folder)) {
            return files.filter(file -> file.getFileName().toString().startsWith("control-"))
                    .findFirst()
                    .orElseThrow();
        }
    }
}
