package dev.muster.store.file.trouble;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.core.MusterException;
import dev.muster.core.Topic;
import dev.muster.core.TopicName;
import dev.muster.core.TopicSettings;
import dev.muster.core.group.model.GroupName;
import dev.muster.disk.DiskFile;
import dev.muster.disk.NoRoomException;
import dev.muster.store.DiskFullException;
import dev.muster.store.DiskState;
import dev.muster.store.PartitionLog;
import dev.muster.store.file.FileStore;
import dev.muster.store.file.Stores;
import dev.muster.store.group.GroupJournal;
import dev.muster.store.read.LogReader;
import dev.muster.testkit.ExpectedTrouble;
import dev.muster.testkit.NumberedRecords;
import dev.muster.testkit.disk.MemoryDisk;
import dev.muster.testkit.disk.SimulatedProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The operations that work on a disk without a free byte, those that are refused, and when they are accepted again. */
@ExtendWith(ExpectedTrouble.class)
class FullDiskTest {
    private static final Path DIRECTORY = Path.of("/data");
    private static final Path BALLAST = Path.of("/ballast");
    private static final UUID BOOT = new UUID(1, 1);
    private static final UUID NEXT_BOOT = new UUID(2, 2);
    private static final TopicName ORDERS = new TopicName("orders");
    private static final GroupName GROUP = new GroupName("readers");
    private static final long CAPACITY = 8 << 20;

    private final MemoryDisk machine = new MemoryDisk();
    private final SimulatedProcess other = machine.process();
    private final List<FileStore> stores = new ArrayList<>();
    private FileStore store;
    private Topic topic;
    private PartitionLog log;

    @BeforeEach
    void makeAStore() {
        machine.capacity(CAPACITY);
        store = open(BOOT);
        topic = store.create(
                ORDERS, 1, TopicSettings.DEFAULT.with("segment.bytes", "20000").with("retention.ms", "-1"));
        log = store.log(topic.id(), 0);
        append(log, 20);
        GroupJournal journal = store.groups().open(GROUP);
        assertThat(journal.append(0, "first")).isTrue();
        journal.awaitDurable(1);
    }

    @AfterEach
    void closeAll() {
        stores.forEach(FileStore::close);
    }

    private FileStore open(UUID boot) {
        FileStore opened = Stores.open(machine.process(), DIRECTORY, boot);
        stores.add(opened);
        return opened;
    }

    private static void append(PartitionLog to, int batches) {
        for (int i = 0; i < batches; i++) {
            long offset = to.append(NumberedRecords.batch(to.endOffset(), 20));
            to.awaitDurable(offset + 20);
        }
    }

    /** Fills the disk as another program might, to the last byte. */
    private void fill() throws IOException {
        byte[] bytes = new byte[4096];
        for (int size = bytes.length; size > 0; size = size / 2) {
            try (DiskFile ballast = other.openForAppend(BALLAST)) {
                while (true) {
                    ballast.append(bytes, 0, size);
                }
            } catch (NoRoomException e) {
                // Smaller pieces may still fit.
                assertThat(machine.used()).isLessThanOrEqualTo(CAPACITY);
            }
        }
        assertThat(machine.used()).as("a store may have replaced a small file").isGreaterThan(CAPACITY - 4096);
    }

    /** The reserve is gone too. */
    private void fillWithTheReserve() throws IOException {
        Path reserve = DIRECTORY.resolve(".coordinator/reserve");
        // The disk is full before and after, because the upkeep of a store creates the reserve again if there is room.
        fill();
        while (!other.list(reserve).isEmpty()) {
            for (String piece : other.list(reserve)) {
                other.delete(reserve.resolve(piece));
            }
            fill();
        }
    }

    private static void await(String what, BooleanSupplier holds) {
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
        while (!holds.getAsBoolean()) {
            assertThat(System.nanoTime() - deadline).as(what).isNegative();
            LockSupport.parkNanos(1_000_000);
        }
    }

    @Test
    void onAFullDiskAProcessOpensAndReads() throws IOException {
        fillWithTheReserve();
        FileStore second = open(BOOT);
        assertThat(second.readOnly()).isFalse();
        assertThat(second.list()).containsExactly(topic);
        assertThat(second.log(topic.id(), 0).endOffset()).isEqualTo(log.endOffset());
        assertThat(second.groups().list()).containsExactly(GROUP);
        assertThat(second.groups().find(GROUP).orElseThrow().read(0)).hasSize(1);
    }

    @Test
    void afterARebootOfAFullMachineAProcessReads() throws IOException {
        long end = log.endOffset();
        store.close();
        fillWithTheReserve();
        FileStore after = open(NEXT_BOOT);
        PartitionLog reopened = after.log(topic.id(), 0);
        assertThat(reopened.endOffset()).isEqualTo(end);
        assertThat(LogContent.read(reopened).numberByOffset()).hasSize((int) end);
        assertThat(after.groups().find(GROUP).orElseThrow().endVersion()).isEqualTo(1);
        assertThatThrownBy(() -> append(reopened, 1)).isInstanceOf(DiskFullException.class);

        other.delete(BALLAST);
        assertThat(after.disk().orElseThrow().level()).isEqualTo(DiskState.Level.OK);
        append(reopened, 1);
        GroupJournal journal = after.groups().open(GROUP);
        assertThat(journal.append(1, "second")).isTrue();
        journal.awaitDurable(2);
        FileStore beside = open(NEXT_BOOT);
        assertThat(beside.log(topic.id(), 0).endOffset()).isEqualTo(end + 20);
        assertThat(beside.groups().find(GROUP).orElseThrow().endVersion()).isEqualTo(2);
    }

    @Test
    void processOpenedOnAFullDiskRegistersOnceThereIsRoom() throws IOException {
        fillWithTheReserve();
        FileStore second = open(BOOT);
        assertThat(store.groups().hosts().renewals(second.groups().hosts().self()))
                .isEmpty();
        other.delete(BALLAST);
        await(
                "the process is seen",
                () -> store.groups()
                        .hosts()
                        .renewals(second.groups().hosts().self())
                        .isPresent());
    }

    @Test
    void onAFullDiskATrimMakesRoomForRecords() throws IOException {
        fill();
        assertThatThrownBy(() -> append(log, 1)).isInstanceOf(DiskFullException.class);
        FileStore second = open(BOOT);
        PartitionLog trimmed = second.log(topic.id(), 0);
        long before = machine.used();
        trimmed.trim(trimmed.endOffset());
        assertThat(machine.used()).isLessThan(before);
        assertThat(log.startOffset()).isEqualTo(log.endOffset());
    }

    /** All records are in one segment, as in most topics with the default size of a segment. */
    @Test
    void onAFullDiskATrimOfOneSegmentMakesRoom() throws IOException {
        Topic large = store.create(new TopicName("large"), 1, TopicSettings.DEFAULT);
        PartitionLog one = store.log(large.id(), 0);
        append(one, 20);
        long bytes = one.sizeBytes();
        fill();
        PartitionLog trimmed = open(BOOT).log(large.id(), 0);
        long before = machine.used();
        trimmed.trim(trimmed.endOffset());
        // A piece of the reserve may have been deleted too.
        assertThat(machine.used()).isLessThan(before - bytes + 4096);
        assertThat(one.startOffset()).isEqualTo(one.endOffset());
        other.delete(BALLAST);
        await("records are accepted", () -> accepts(one));
        assertThat(LogContent.read(one).numberByOffset().firstKey()).isEqualTo(one.startOffset());
    }

    /** The room of a deleted file is free once no process has it open. */
    @Test
    void allProcessesCloseFilesThatWereTrimmedAway() {
        SimulatedProcess process = machine.process();
        FileStore second = Stores.open(process, DIRECTORY, BOOT);
        stores.add(second);
        PartitionLog beside = second.log(topic.id(), 0);
        try (LogReader reader = beside.reader(0)) {
            int before = process.openFiles();
            append(beside, 1);
            while (reader.position() < beside.endOffset()) {
                assertThat(reader.read(1 << 20).nextOffset()).isPositive();
            }
            assertThat(process.openFiles()).isGreaterThanOrEqualTo(before + 3);
            log.trim(log.endOffset());
            await("the files are closed", () -> {
                assertThat(reader.read(1 << 20).isEmpty()).isTrue();
                return process.openFiles() <= before;
            });
            append(beside, 1);
            assertThat(reader.read(1 << 20).isEmpty()).isFalse();
        }
    }

    @Test
    void onAFullDiskDeleteRemovesTopicAndGroup() throws IOException {
        fill();
        FileStore second = open(BOOT);
        second.delete(ORDERS);
        assertThat(store.list()).isEmpty();
        second.groups().delete(second.groups().find(GROUP).orElseThrow());
        assertThat(store.groups().list()).isEmpty();
    }

    /** There is no room for the line about the deletion, so the files are deleted first. */
    @Test
    void withoutAReserveDeleteRemovesGroups() throws IOException {
        GroupName damaged = new GroupName("damaged");
        store.groups().open(damaged);
        fillWithTheReserve();
        store.groups().delete(store.groups().find(GROUP).orElseThrow());
        fillWithTheReserve();
        store.groups().remove(damaged);
        assertThat(store.groups().list()).isEmpty();
        assertThat(open(BOOT).groups().list()).isEmpty();
    }

    @Test
    void afterARebootOfAFullMachineTrimAndDeleteWork() throws IOException {
        TopicName second = new TopicName("second");
        store.create(second, 1, TopicSettings.DEFAULT);
        long end = log.endOffset();
        store.close();
        fill();
        FileStore after = open(NEXT_BOOT);
        after.log(topic.id(), 0).trim(end);
        assertThat(after.log(topic.id(), 0).startOffset()).isEqualTo(end);
        after.delete(second);
        assertThat(after.list()).extracting(Topic::name).containsExactly(ORDERS);
    }

    /** While the disk is full, retention runs at least every ten seconds. This test sets a shorter interval. */
    @Test
    void onAFullDiskAShorterRetentionMakesRoom() throws IOException {
        store.close();
        fill();
        FileStore second = FileStore.open(
                DIRECTORY, Stores.options(machine.process(), BOOT).withRetentionInterval(Duration.ofMillis(20)));
        stores.add(second);
        long before = machine.used();
        second.alter(ORDERS, topic.settings().with("retention.bytes", "20000"));
        await("retention gave room", () -> machine.used() < before - 20_000);
        assertThat(second.log(topic.id(), 0).startOffset()).isPositive();
    }

    @Test
    void onAFullDiskGroupsCommit() throws IOException {
        fill();
        GroupJournal journal = store.groups().open(GROUP);
        for (int version = 1; version <= 50; version++) {
            assertThat(journal.append(version, "a line of some length for version " + version))
                    .isTrue();
            journal.awaitDurable(version + 1);
        }
        assertThat(journal.endVersion()).isEqualTo(51);
    }

    @Test
    void belowTheMinimumRecordsAreRefusedAndJournalsAreNot() {
        long min = store.disk().orElseThrow().minFreeBytes();
        assertThatThrownBy(() -> append(log, Integer.MAX_VALUE))
                .isInstanceOf(DiskFullException.class)
                .hasMessageContaining(DiskState.MIN_FREE);
        DiskState state = store.disk().orElseThrow();
        assertThat(state.freeBytes()).isBetween(min - 70_000, min + 70_000);
        GroupJournal journal = store.groups().open(GROUP);
        assertThat(journal.append(1, "second")).isTrue();
        journal.awaitDurable(2);
    }

    @Test
    void allProcessesMeasureTheSameLevelAndAcceptRecordsAgain() throws IOException {
        FileStore second = open(BOOT);
        fill();
        for (FileStore each : stores) {
            assertThat(each.disk().orElseThrow().level()).isEqualTo(DiskState.Level.FULL);
            assertThatThrownBy(() -> append(each.log(topic.id(), 0), 1)).isInstanceOf(DiskFullException.class);
            assertThatThrownBy(() -> each.create(new TopicName("more"), 1, TopicSettings.DEFAULT))
                    .isInstanceOf(DiskFullException.class);
        }
        other.delete(BALLAST);
        for (FileStore each : stores) {
            await("records are accepted", () -> accepts(each));
            assertThat(each.disk().orElseThrow().level()).isEqualTo(DiskState.Level.OK);
        }
        assertThat(second.log(topic.id(), 0).endOffset()).isEqualTo(log.endOffset());
    }

    private boolean accepts(FileStore each) {
        return accepts(each.log(topic.id(), 0));
    }

    private static boolean accepts(PartitionLog to) {
        try {
            append(to, 1);
            return true;
        } catch (DiskFullException e) {
            return false;
        }
    }

    @Test
    void reserveIsCreatedAgainWhenThereIsRoom() throws IOException {
        Path reserve = DIRECTORY.resolve(".coordinator/reserve");
        int whole = other.list(reserve).size();
        assertThat(whole).isPositive();
        fillWithTheReserve();
        other.delete(BALLAST);
        awaitReserve(reserve, whole);
    }

    /** A measurement finds room before the upkeep creates the reserve. */
    @Test
    void reserveIsCreatedAgainEvenIfNothingIsAppended() throws IOException {
        Path reserve = DIRECTORY.resolve(".coordinator/reserve");
        int whole = other.list(reserve).size();
        other.delete(reserve.resolve(other.list(reserve).getFirst()));
        assertThat(store.disk().orElseThrow().level()).isEqualTo(DiskState.Level.OK);
        awaitReserve(reserve, whole);
    }

    private void awaitReserve(Path reserve, int pieces) {
        await("the reserve is whole", () -> {
            try {
                return other.list(reserve).size() == pieces;
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
    }

    @Test
    void minimumIsASettingOfTheDirectory() throws IOException {
        other.writeDurably(DIRECTORY.resolve("settings.json"), "{\"muster.disk.min.free\":4000000}");
        FileStore second = open(BOOT);
        Stream.of(store, second)
                .forEach(each ->
                        assertThat(each.disk().orElseThrow().minFreeBytes()).isEqualTo(4_000_000));
        assertThatThrownBy(() -> append(log, Integer.MAX_VALUE)).isInstanceOf(DiskFullException.class);
        assertThat(machine.used()).isLessThan(CAPACITY - 3_900_000);
    }

    @Test
    void invalidSettingIsIgnored() throws IOException {
        Path settings = DIRECTORY.resolve("settings.json");
        long byDefault = store.disk().orElseThrow().minFreeBytes();
        for (String text :
                List.of("", "{", "[]", "null", "{\"muster.disk.min.free\":-5}", "{\"muster.disk.min.free\":[1]}")) {
            other.delete(settings);
            other.writeDurably(settings, text);
            assertThat(store.disk().orElseThrow().minFreeBytes()).as(text).isEqualTo(byDefault);
        }
        other.delete(settings);
        other.writeDurably(settings, "[]");
        assertThatThrownBy(() -> store.keepFree(5))
                .isInstanceOf(MusterException.class)
                .hasMessageContaining("settings.json");
    }
}
