package dev.muster.store.file.trouble;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.MusterException;
import dev.muster.core.group.model.GroupName;
import dev.muster.disk.Disk;
import dev.muster.store.LogStore;
import dev.muster.store.SyncFailedException;
import dev.muster.store.file.FileStore;
import dev.muster.store.file.FileStoreOptions;
import dev.muster.store.file.Stores;
import dev.muster.store.group.GroupJournal;
import dev.muster.store.group.GroupJournal.View;
import dev.muster.testkit.ExpectedTrouble;
import dev.muster.testkit.disk.DiskFault;
import dev.muster.testkit.disk.FaultyDisk;
import dev.muster.testkit.disk.MemoryDisk;
import dev.muster.testkit.disk.PacedMachine;
import dev.muster.testkit.disk.SimulatedProcess;
import dev.muster.testkit.disk.Tear;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: after any disk call of a group's operation fails or kills the process, the group works again when the cause is
 * gone. This holds in the same process, in another one, and after a power cut. Method: SQLite's loop. The n-th call of
 * an operation fails, for n = 1, 2, 3… until the operation makes fewer calls than that.
 */
@ExtendWith(ExpectedTrouble.class)
class GroupTroubleIT {
    private static final Path DIRECTORY = Path.of("/data");
    private static final GroupName GROUP = new GroupName("workers");
    private static final GroupName OTHER = new GroupName("others");
    private static final UUID BOOT = new UUID(7, 7);
    private static final int CALLS_MAX = 500;

    private int leftBehind;

    private enum Operation {
        OPEN_A_NEW_GROUP {
            @Override
            void run(Scene scene) {
                scene.store.groups().open(OTHER).append(0, "\"first\"");
            }
        },
        APPEND {
            @Override
            void run(Scene scene) {
                scene.append();
            }
        },
        APPEND_UNTIL_IT_ROLLS {
            @Override
            void run(Scene scene) {
                for (int i = 0; i < 15; i++) {
                    scene.append();
                }
            }
        },
        WAIT {
            @Override
            void run(Scene scene) {
                scene.ledger.awaitDurable(scene.journal(), scene.journal().endVersion());
            }
        },
        READ {
            @Override
            void run(Scene scene) {
                scene.ledger.check(scene.journal());
            }
        },
        TRIM {
            @Override
            void run(Scene scene) {
                scene.ledger.trim(scene.journal(), scene.journal().endVersion() - 2);
            }
        },
        PUBLISH {
            @Override
            void run(Scene scene) {
                scene.journal()
                        .views()
                        .orElseThrow()
                        .publish(List.of(
                                new View("generation.txt", "3\n"),
                                new View("members/a.json", "{}\n"),
                                new View("members/b.json", null)));
                scene.journal().views().orElseThrow().extend("timeline.jsonl", tail -> "{}\n");
            }
        },
        DELETE {
            @Override
            void before(Scene scene) {
                scene.store.groups().open(OTHER).append(0, "\"old\"");
            }

            @Override
            void run(Scene scene) {
                delete(scene.store, OTHER);
            }
        };

        abstract void run(Scene scene);

        void before(Scene scene) {}
    }

    /** A directory with a group and some lines, opened by a store on a disk that can be made to fail. */
    private static final class Scene {
        final MemoryDisk machine = new MemoryDisk();
        final PacedMachine pace = new PacedMachine();
        final SimulatedProcess process = machine.process(pace);
        final FaultyDisk disk = new FaultyDisk(process);
        final LogStore store = open(disk, BOOT);
        final JournalLedger ledger = new JournalLedger();

        Scene() {
            pace.awaitRest();
            for (int i = 0; i < 20; i++) {
                append();
            }
        }

        GroupJournal journal() {
            return store.groups().open(GROUP);
        }

        void append() {
            assertThat(ledger.append(journal(), journal().endVersion())).isTrue();
        }
    }

    private static void delete(LogStore store, GroupName group) {
        store.groups().find(group).ifPresent(store.groups()::delete);
    }

    private static FileStore open(Disk disk, UUID boot) {
        return FileStore.open(DIRECTORY, options(disk, boot));
    }

    private static FileStoreOptions options(Disk disk, UUID boot) {
        return Stores.options(disk, boot).withJournalSegmentBytes(4096);
    }

    @ParameterizedTest
    @EnumSource
    void everyCallOfAnOperationMayFail(Operation operation) {
        for (boolean always : new boolean[] {false, true}) {
            int n = 1;
            while (fails(operation, n, always)) {
                n++;
                assertThat(n).as("calls of %s", operation).isLessThan(CALLS_MAX);
            }
            System.out.printf("every call fails: group %s always=%s calls=%d%n", operation, always, n - 1);
        }
    }

    /** @return true if the fault occurred */
    private static boolean fails(Operation operation, int n, boolean always) {
        Scene scene = new Scene();
        operation.before(scene);
        scene.disk.arm(
                always ? DiskFault.at().nth(n).fromThenOn() : DiskFault.at().nth(n));
        try {
            operation.run(scene);
        } catch (MusterException e) {
            assertThat(e.getMessage()).isNotBlank();
        }
        boolean met = scene.disk.fired() > 0;
        if (always) {
            // The upkeep, which syncs unsynced lines, uses the disk with its fault.
            scene.pace.keepHouse();
        }
        scene.disk.heal();
        try {
            goesOn(operation, scene);
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError(operation + " at call " + n + (always ? " and from then on" : ""), e);
        }
        return met;
    }

    private static void goesOn(Operation operation, Scene scene) {
        appendDurably(scene.journal(), scene.ledger);
        scene.ledger.check(scene.journal());
        if (operation == Operation.DELETE) {
            delete(scene.store, OTHER);
            assertThat(scene.store.groups().find(OTHER)).isEmpty();
        }
        GroupJournal other = scene.store.groups().open(OTHER);
        assertThat(other.append(other.endVersion(), "\"more\"")).isTrue();
        scene.store.close();
        assertThat(scene.process.openFiles()).as("files left open").isZero();
        inAnotherProcessAndBoot(scene);
    }

    /**
     * The reaction to a failed sync that the contract requires of a process that knows the state: a snapshot, and a
     * trim to it.
     */
    private static void appendDurably(GroupJournal journal, JournalLedger ledger) {
        assertThat(ledger.append(journal, journal.endVersion())).isTrue();
        try {
            ledger.awaitDurable(journal, journal.endVersion());
        } catch (SyncFailedException e) {
            long snapshot = journal.endVersion();
            assertThat(ledger.append(journal, snapshot)).isTrue();
            ledger.trim(journal, snapshot);
            ledger.awaitDurable(journal, snapshot + 1);
        }
    }

    private static void inAnotherProcessAndBoot(Scene scene) {
        SimulatedProcess other = scene.machine.process();
        try (LogStore store = open(other, BOOT)) {
            GroupJournal journal = store.groups().open(GROUP);
            scene.ledger.check(journal);
            appendDurably(journal, scene.ledger);
        }
        assertThat(other.openFiles()).as("files left open").isZero();
        scene.machine.powerCut(new Random(1), Tear.BYTES);
        UUID later = new UUID(8, 8);
        try (LogStore store = open(scene.machine.process(), later)) {
            GroupJournal journal = store.groups().open(GROUP);
            scene.ledger.checkAfterCut(journal);
            appendDurably(journal, scene.ledger);
        }
        Stores.checkIsClean(scene.machine, DIRECTORY, later);
    }

    @ParameterizedTest
    @EnumSource
    void processMayBeKilledAtEveryCall(Operation operation) throws IOException {
        int n = 1;
        while (isKilled(operation, n)) {
            n++;
            assertThat(n).as("calls of %s", operation).isLessThan(CALLS_MAX);
        }
        System.out.printf(
                "killed at every call: group %s calls=%d left to clean up=%d%n", operation, n - 1, leftBehind);
        if (operation == Operation.DELETE || operation == Operation.OPEN_A_NEW_GROUP) {
            assertThat(leftBehind)
                    .as("times that housekeeping had to finish it, or this test is blind")
                    .isPositive();
        }
    }

    private boolean isKilled(Operation operation, int n) throws IOException {
        Scene scene = new Scene();
        operation.before(scene);
        AtomicInteger calls = new AtomicInteger();
        scene.disk.before(call -> {
            if (Thread.currentThread().getName().equals("victim") && calls.incrementAndGet() == n) {
                scene.process.kill();
            }
        });
        Thread victim = Thread.ofPlatform().name("victim").start(() -> {
            try {
                operation.run(scene);
            } catch (MusterException | UncheckedIOException e) {
                assertThat(scene.process.isAlive()).as("why it failed: %s", e).isFalse();
            }
        });
        join(victim);
        boolean killed = !scene.process.isAlive();
        scene.process.kill();
        try (LogStore store = open(scene.machine.process(), BOOT)) {
            scene.ledger.check(store.groups().open(GROUP));
            if (operation == Operation.DELETE) {
                delete(store, OTHER);
                assertThat(store.groups().list()).containsExactly(GROUP);
            }
            GroupJournal other = store.groups().open(OTHER);
            assertThat(other.append(other.endVersion(), "\"more\"")).isTrue();
            delete(store, OTHER);
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError(operation + " killed at call " + n, e);
        }
        endThreadsOf(scene.store);
        leavesNothing(scene.machine);
        inAnotherProcessAndBoot(scene);
        return killed;
    }

    /** Ends the threads of a killed process. The threads of a real process end with it. */
    private static void endThreadsOf(LogStore store) {
        try {
            store.close();
        } catch (UncheckedIOException e) {
            assertThat(e).hasMessageContaining("killed");
        }
    }

    /** The upkeep finishes the deletion of a dead process. */
    private void leavesNothing(MemoryDisk machine) throws IOException {
        SimulatedProcess process = machine.process();
        leftBehind += left(process).isEmpty() ? 0 : 1;
        FileStoreOptions often = options(process, BOOT).withRetentionInterval(Duration.ofMillis(1));
        try (LogStore store = FileStore.open(DIRECTORY, often)) {
            long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
            while (!left(process).isEmpty()) {
                assertThat(System.nanoTime())
                        .as("still there: %s", left(process))
                        .isLessThan(deadline);
                LockSupport.parkNanos(1_000_000);
            }
            assertThat(store.groups().list()).containsExactly(GROUP);
        }
    }

    private static List<String> left(SimulatedProcess process) throws IOException {
        List<String> left = process.list(DIRECTORY.resolve(".coordinator/drafts"));
        left.addAll(process.list(DIRECTORY.resolve(".trash")));
        left.addAll(process.list(DIRECTORY.resolve("consumer-groups")).stream()
                .filter(name -> !name.equals(GROUP.value()))
                .toList());
        return left;
    }

    private static void join(Thread thread) {
        try {
            assertThat(thread.join(Duration.ofMinutes(2))).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
