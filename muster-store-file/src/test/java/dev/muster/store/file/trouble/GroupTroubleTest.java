package dev.muster.store.file.trouble;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.muster.core.MusterException;
import dev.muster.core.group.model.GroupName;
import dev.muster.disk.Disk;
import dev.muster.store.LogStore;
import dev.muster.store.SyncFailedException;
import dev.muster.store.file.FileStore;
import dev.muster.store.file.Stores;
import dev.muster.store.group.GroupDeletedException;
import dev.muster.store.group.GroupJournal;
import dev.muster.store.group.GroupJournal.View;
import dev.muster.testkit.ExpectedTrouble;
import dev.muster.testkit.disk.DiskCall;
import dev.muster.testkit.disk.DiskCall.Kind;
import dev.muster.testkit.disk.FaultyDisk;
import dev.muster.testkit.disk.MemoryDisk;
import dev.muster.testkit.disk.PacedMachine;
import dev.muster.testkit.disk.SimulatedProcess;
import dev.muster.testkit.disk.Tear;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A group whose disk fails to sync, and a group that is deleted while a writer is stopped. */
@ExtendWith(ExpectedTrouble.class)
class GroupTroubleTest {
    private static final Path DIRECTORY = Path.of("/data");
    private static final GroupName GROUP = new GroupName("workers");
    private static final UUID BOOT = new UUID(7, 7);

    private static FileStore open(Disk disk, UUID boot) {
        return FileStore.open(DIRECTORY, Stores.options(disk, boot).withJournalSegmentBytes(4096));
    }

    @Test
    void afterAFailedSyncNothingIsDurableUntilThereIsASnapshot() {
        MemoryDisk machine = new MemoryDisk();
        PacedMachine pace = new PacedMachine();
        PacedMachine theirPace = new PacedMachine();
        try (LogStore store = open(machine.process(pace), BOOT);
                LogStore beside = open(machine.process(theirPace), BOOT)) {
            // Otherwise they would sync lines that are left unsynced here on purpose.
            pace.awaitRest();
            theirPace.awaitRest();
            GroupJournal journal = store.groups().open(GROUP);
            GroupJournal other = beside.groups().open(GROUP);
            assertThat(journal.append(0, "\"durable\"")).isTrue();
            journal.awaitDurable(1);
            assertThat(journal.append(1, "\"mine\"")).isTrue();
            assertThat(other.append(2, "\"theirs\"")).isTrue();
            machine.failSyncs(1);
            assertThatExceptionOfType(SyncFailedException.class).isThrownBy(() -> journal.awaitDurable(2));
            assertThatExceptionOfType(SyncFailedException.class)
                    .as("it was told to another; it is as true for this one")
                    .isThrownBy(() -> other.awaitDurable(3));
            assertThat(other.read(1)).as("what all have acted on stays").hasSize(2);
            assertThat(journal.append(3, "\"commit\"")).isTrue();
            assertThatExceptionOfType(SyncFailedException.class)
                    .as("what stands before it may be lost")
                    .isThrownBy(() -> journal.awaitDurable(4));
            assertThatExceptionOfType(SyncFailedException.class).isThrownBy(() -> other.awaitDurable(3));
            assertThat(other.append(4, "\"snapshot\"")).isTrue();
            other.trim(4);
            journal.awaitDurable(5);
            assertThat(journal.append(5, "\"more\"")).isTrue();
            other.awaitDurable(6);
        }
        machine.powerCut(new Random(3), Tear.BYTES);
        try (LogStore store = open(machine.process(), new UUID(8, 8))) {
            GroupJournal journal = store.groups().open(GROUP);
            assertThat(journal.startVersion()).isEqualTo(4);
            assertThat(journal.read(4)).extracting(GroupJournal.Line::text).containsExactly("\"snapshot\"", "\"more\"");
        }
    }

    /** Ends the threads of a killed process. The threads of a real process end with it. */
    private static void endThreadsOf(LogStore store) {
        try {
            store.close();
        } catch (UncheckedIOException e) {
            assertThat(e).hasMessageContaining("killed");
        }
    }

    private static void delete(LogStore store, GroupName group) {
        store.groups().find(group).ifPresent(store.groups()::delete);
    }

    private static boolean takesAGroup(DiskCall call) {
        return call.is(Kind.RENAME) && call.isOn(".taken-group");
    }

    private static Thread startDeleting(LogStore store, GroupJournal journal) {
        return Thread.ofPlatform().name("sleeper").start(() -> {
            try {
                store.groups().delete(journal);
            } catch (MusterException | UncheckedIOException e) {
                assertThat(e).hasStackTraceContaining("killed");
            }
        });
    }

    @Test
    void groupIsCreatedThoughAnotherWasCreatedAndDeletedMeanwhile() {
        MemoryDisk machine = new MemoryDisk();
        FaultyDisk disk = new FaultyDisk(machine.process());
        try (LogStore store = open(disk, BOOT);
                LogStore beside = open(machine.process(), BOOT)) {
            AtomicInteger calls = new AtomicInteger();
            disk.before(call -> {
                if (call.is(Kind.RENAME) && call.isOn("/workers") && calls.compareAndSet(0, 1)) {
                    beside.groups().open(GROUP);
                } else if (call.is(Kind.READ_ALL) && call.isOn("/workers/group.json") && calls.compareAndSet(1, 2)) {
                    delete(beside, GROUP);
                }
            });
            GroupJournal made = store.groups().open(GROUP);
            assertThat(calls).hasValue(2);
            assertThat(made.append(0, "\"line\"")).isTrue();
            assertThat(beside.groups().open(GROUP).read(0)).hasSize(1);
        }
    }

    @Test
    void newGroupTakenByADeleterThatDiedIsFoundWhenOpened() throws Exception {
        MemoryDisk machine = new MemoryDisk();
        SimulatedProcess process = machine.process();
        FaultyDisk disk = new FaultyDisk(process);
        LogStore deleter = open(disk, BOOT);
        GroupJournal old = deleter.groups().open(GROUP);
        try (LogStore store = open(machine.process(), BOOT);
                LogStore beside = open(machine.process(), BOOT)) {
            try (var gate = disk.stopBefore(GroupTroubleTest::takesAGroup)) {
                Thread sleeper = startDeleting(deleter, old);
                gate.awaitArrival(Duration.ofMinutes(2));
                delete(store, GROUP);
                GroupJournal fresh = store.groups().open(GROUP);
                assertThat(fresh.append(0, "\"new\"")).isTrue();
                disk.after(call -> {
                    if (takesAGroup(call)) {
                        process.kill();
                    }
                });
                gate.release();
                join(sleeper);
                assertThat(process.isAlive()).isFalse();
                assertThat(beside.groups().open(GROUP).read(0))
                        .extracting(GroupJournal.Line::text)
                        .containsExactly("\"new\"");
                assertThat(fresh.append(1, "\"more\"")).isTrue();
            }
        }
        endThreadsOf(deleter);
    }

    /**
     * The deleting process was stopped while the group was created again, and died after it moved the wrong folder
     * away.
     */
    @Test
    void aGroupTakenByADeleterThatDiedStaysInUse() throws Exception {
        MemoryDisk machine = new MemoryDisk();
        PacedMachine pace = new PacedMachine();
        try (LogStore store = open(machine.process(pace), BOOT);
                LogStore beside = open(machine.process(), BOOT)) {
            pace.awaitRest();
            AtomicReference<GroupJournal> fresh = new AtomicReference<>();
            takeByADeleterThatDies(machine, () -> {
                delete(store, GROUP);
                fresh.set(store.groups().open(GROUP));
                assertThat(fresh.get().append(0, "\"new\"")).isTrue();
            });
            pace.keepHouse();
            assertThat(fresh.get().append(1, "\"more\"")).isTrue();
            fresh.get().awaitDurable(2);
            assertThat(beside.groups().open(GROUP).read(0))
                    .extracting(GroupJournal.Line::text)
                    .containsExactly("\"new\"", "\"more\"");
        }
    }

    @Test
    void aLineOfATakenGroupBecomesDurable() throws Exception {
        MemoryDisk machine = new MemoryDisk();
        PacedMachine pace = new PacedMachine();
        try (LogStore store = open(machine.process(pace), BOOT);
                LogStore beside = open(machine.process(), BOOT)) {
            pace.awaitRest();
            AtomicReference<GroupJournal> fresh = new AtomicReference<>();
            takeByADeleterThatDies(machine, () -> {
                delete(store, GROUP);
                fresh.set(store.groups().open(GROUP));
                assertThat(fresh.get().append(0, "\"new\"")).isTrue();
            });
            fresh.get().awaitDurable(1);
            assertThat(beside.groups().find(GROUP))
                    .hasValueSatisfying(found -> assertThat(found.read(0))
                            .extracting(GroupJournal.Line::text)
                            .containsExactly("\"new\""));
        }
    }

    /** @param meanwhile the step between the deleter's last look at the group and its move of the folder */
    private static void takeByADeleterThatDies(MemoryDisk machine, Runnable meanwhile) throws Exception {
        SimulatedProcess process = machine.process();
        FaultyDisk disk = new FaultyDisk(process);
        LogStore deleter = open(disk, BOOT);
        GroupJournal old = deleter.groups().open(GROUP);
        try (var gate = disk.stopBefore(GroupTroubleTest::takesAGroup)) {
            Thread sleeper = startDeleting(deleter, old);
            gate.awaitArrival(Duration.ofMinutes(2));
            meanwhile.run();
            disk.after(call -> {
                if (takesAGroup(call)) {
                    process.kill();
                }
            });
            gate.release();
            join(sleeper);
            assertThat(process.isAlive()).isFalse();
        }
        endThreadsOf(deleter);
    }

    @Test
    void ofTwoGroupsOfOneNameOneEndsAndItsMembersFindTheOther() throws Exception {
        MemoryDisk machine = new MemoryDisk();
        FaultyDisk deletersDisk = new FaultyDisk(machine.process());
        FaultyDisk makersDisk = new FaultyDisk(machine.process());
        try (LogStore deleter = open(deletersDisk, BOOT);
                LogStore maker = open(makersDisk, BOOT);
                LogStore store = open(machine.process(), BOOT)) {
            GroupJournal old = deleter.groups().open(GROUP);
            try (var before = deletersDisk.stopBefore(GroupTroubleTest::takesAGroup);
                    var making = makersDisk.stopBefore(call -> call.is(Kind.RENAME) && call.isOn(GROUP.value()))) {
                Thread sleeper = startDeleting(deleter, old);
                before.awaitArrival(Duration.ofMinutes(2));
                delete(store, GROUP);
                // The name is free: one process is about to create the group again, and another one does.
                Thread late = Thread.ofPlatform().start(() -> maker.groups().open(GROUP));
                making.awaitArrival(Duration.ofMinutes(2));
                GroupJournal fresh = store.groups().open(GROUP);
                assertThat(fresh.append(0, "\"fresh\"")).isTrue();
                try (var taken = deletersDisk.stopAfter(GroupTroubleTest::takesAGroup)) {
                    before.release();
                    taken.awaitArrival(Duration.ofMinutes(2));
                    making.release();
                    join(late);
                    GroupJournal other = maker.groups().open(GROUP);
                    assertThat(other.append(0, "\"other\"")).isTrue();
                    taken.release();
                    join(sleeper);
                    assertThatExceptionOfType(GroupDeletedException.class)
                            .isThrownBy(() -> fresh.append(1, "\"lost\""));
                    assertThat(store.groups().open(GROUP).read(0))
                            .extracting(GroupJournal.Line::text)
                            .containsExactly("\"other\"");
                    assertThat(other.append(1, "\"more\"")).isTrue();
                }
            }
        }
    }

    @Test
    void stoppedWriterDoesNotBringADeletedGroupBack() throws Exception {
        MemoryDisk machine = new MemoryDisk();
        FaultyDisk disk = new FaultyDisk(machine.process());
        try (LogStore store = open(disk, BOOT);
                LogStore beside = open(machine.process(), BOOT)) {
            GroupJournal sleepers = store.groups().open(GROUP);
            assertThat(sleepers.append(0, "\"old\"")).isTrue();
            try (var gate =
                    disk.stopBefore(call -> Thread.currentThread().getName().equals("sleeper") && call.isOn(".log"))) {
                AtomicInteger deleted = new AtomicInteger();
                Thread sleeper = Thread.ofPlatform().name("sleeper").start(() -> {
                    try {
                        sleepers.append(1, "\"late\"");
                    } catch (GroupDeletedException e) {
                        deleted.incrementAndGet();
                    }
                });
                gate.awaitArrival(Duration.ofMinutes(2));
                delete(beside, GROUP);
                GroupJournal fresh = beside.groups().open(GROUP);
                assertThat(fresh.append(0, "\"new\"")).isTrue();
                gate.release();
                join(sleeper);
                assertThat(deleted).hasValue(1);
                sleepers.views().orElseThrow().publish(List.of(new View("generation.txt", "old")));
                assertThat(fresh.read(0)).extracting(GroupJournal.Line::text).containsExactly("\"new\"");
                assertThat(store.groups().open(GROUP).endVersion()).isEqualTo(1);
            }
        }
    }

    @Test
    void closeWaitsForTheViewInProgressAndAllowsNoOther() throws Exception {
        MemoryDisk machine = new MemoryDisk();
        FaultyDisk disk = new FaultyDisk(machine.process());
        try (LogStore store = open(disk, BOOT);
                var gate = disk.stopBefore(call -> call.isOn(".view"))) {
            GroupJournal journal = store.groups().open(GROUP);
            Thread writer = Thread.ofPlatform()
                    .start(() -> journal.views()
                            .orElseThrow()
                            .publish(List.of(new View("first.txt", "1"), new View("second.txt", "2"))));
            gate.awaitArrival(Duration.ofMinutes(2));
            Thread closer = Thread.ofPlatform().start(store::close);
            while (closer.isAlive() && closer.getState() != Thread.State.WAITING) {
                Thread.onSpinWait();
            }
            assertThat(closer.isAlive()).as("it waits for the view").isTrue();
            gate.release();
            join(writer);
            join(closer);
            assertThat(machine.process().list(DIRECTORY.resolve("consumer-groups/workers")))
                    .contains("first.txt")
                    .doesNotContain("second.txt");
        }
    }

    private static void join(Thread thread) {
        try {
            assertThat(thread.join(Duration.ofMinutes(2))).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
