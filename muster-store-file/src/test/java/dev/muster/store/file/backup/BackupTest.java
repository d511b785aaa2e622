package dev.muster.store.file.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.core.Topic;
import dev.muster.core.TopicName;
import dev.muster.core.TopicSettings;
import dev.muster.core.group.model.GroupName;
import dev.muster.disk.Disk;
import dev.muster.disk.DiskFile;
import dev.muster.store.DiskFullException;
import dev.muster.store.PartitionLog;
import dev.muster.store.StoreIoException;
import dev.muster.store.StoreNotFoundException;
import dev.muster.store.UnsupportedStoreException;
import dev.muster.store.file.FileStore;
import dev.muster.store.file.Stores;
import dev.muster.store.file.check.DirectoryCheck;
import dev.muster.store.file.trouble.LogContent;
import dev.muster.store.group.GroupJournal;
import dev.muster.testkit.ExpectedTrouble;
import dev.muster.testkit.NumberedRecords;
import dev.muster.testkit.disk.DiskCall;
import dev.muster.testkit.disk.DiskCall.Kind;
import dev.muster.testkit.disk.DiskFault;
import dev.muster.testkit.disk.FaultyDisk;
import dev.muster.testkit.disk.MemoryDisk;
import dev.muster.testkit.disk.SimulatedProcess;
import dev.muster.testkit.disk.Tear;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Backups of a directory on a disk in memory, with deletions, failures, kills and power cuts during the backup. */
@ExtendWith(ExpectedTrouble.class)
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class BackupTest {
    private static final Path DATA = Path.of("/data");
    private static final Path BACKUPS = Path.of("/backups");
    private static final Path RESTORED = Path.of("/restored");
    private static final TopicName TOPIC = new TopicName("orders");
    private static final TopicSettings SETTINGS = TopicSettings.DEFAULT
            .with("retention.ms", "-1")
            .with("segment.bytes", "4096")
            .with("index.interval.bytes", "512");

    private final MemoryDisk machine = new MemoryDisk();
    private UUID boot = UUID.randomUUID();
    private long next;

    @Test
    void restoredBackupHasTheRecordsOfItsMoment() {
        try (FileStore store = open(DATA)) {
            PartitionLog log = create(store);
            append(log, 100);
            BackupReport report = backup(machine.process(), 1);
            append(log, 50);
            assertThat(report.clean()).isTrue();
        }
        DirectoryRestore.run(BACKUPS, RESTORED, Stores.options(machine.process(), boot), _ -> {});
        assertThat(numbers(RESTORED)).isEqualTo(100);
        Stores.checkIsClean(machine, RESTORED, boot);
        try (FileStore store = open(RESTORED)) {
            PartitionLog log = log(store);
            long offset = log.append(NumberedRecords.batch(100, 1));
            log.awaitDurable(offset + 1);
            assertThat(offset).isEqualTo(100);
            assertThat(LogContent.read(log).numberByOffset()).hasSize(101);
        }
    }

    @Test
    void secondBackupCopiesOnlyNewData() {
        try (FileStore store = open(DATA)) {
            PartitionLog log = create(store);
            append(log, 200);
            BackupReport first = backup(machine.process(), 3);
            append(log, 20);
            BackupReport second = backup(machine.process(), 3);
            assertThat(first.reused()).isZero();
            assertThat(second.reused()).isGreaterThan(3);
            assertThat(second.bytesCopied()).isLessThan(first.bytesCopied() / 2);
            assertThat(second.bytes()).isGreaterThan(first.bytes());
        }
        assertThat(restored(BACKUPS.resolve("backup-000001"), Path.of("/first")))
                .isEqualTo(200);
        assertThat(restored(BACKUPS.resolve("backup-000002"), Path.of("/second")))
                .isEqualTo(220);
    }

    @Test
    void oldBackupsAreDeletedAndTheNewestOnesStayWhole() throws IOException {
        try (FileStore store = open(DATA)) {
            PartitionLog log = create(store);
            for (int i = 0; i < 4; i++) {
                append(log, 30);
                backup(machine.process(), 2);
            }
        }
        Disk disk = machine.process();
        assertThat(disk.list(BACKUPS))
                .contains("backup-000003", "backup-000004")
                .hasSize(3);
        assertThat(restored(BACKUPS.resolve("backup-000003"), Path.of("/third")))
                .isEqualTo(90);
        assertThat(restored(BACKUPS, Path.of("/fourth"))).isEqualTo(120);
    }

    /**
     * A trim deletes segments, a topic is deleted and another is created, each time between two calls of the backup.
     */
    @Test
    void backupFollowsTrimsAndDeletes() throws IOException {
        try (FileStore store = open(DATA)) {
            PartitionLog log = create(store);
            append(log, 200);
            store.create(new TopicName("going"), 2, SETTINGS);
            FaultyDisk disk = new FaultyDisk(machine.process());
            AtomicLong trims = new AtomicLong();
            disk.before(call -> {
                boolean aSegment = call.is(Kind.OPEN) && call.isOn(".log");
                if (aSegment && trims.incrementAndGet() <= 5) {
                    log.trim(30 * trims.get());
                    store.find(new TopicName("going")).ifPresent(going -> store.delete(going.name()));
                }
            });
            BackupReport report = backup(disk, 1);
            assertThat(report.clean()).isTrue();
            assertThat(trims.get()).isGreaterThanOrEqualTo(2);
        }
        DirectoryRestore.run(BACKUPS, RESTORED, Stores.options(machine.process(), boot), _ -> {});
        try (FileStore store = open(RESTORED)) {
            LogContent content = LogContent.read(log(store));
            assertThat(content.end()).isEqualTo(200);
            assertThat(content.start()).isBetween(1L, 200L);
            assertThat(content.numberByOffset()).hasSize((int) (200 - content.start()));
        }
        Stores.checkIsClean(machine, RESTORED, boot);
    }

    /** A line is appended to the journal for an existing record. The copy of the records must have that record. */
    @Test
    void journalsAreNeverAheadOfTheRecords() {
        try (FileStore store = open(DATA)) {
            PartitionLog log = create(store);
            GroupJournal journal = store.groups().open(new GroupName("readers"));
            for (int round = 1; round <= 12; round++) {
                FaultyDisk disk = new FaultyDisk(machine.process());
                AtomicLong calls = new AtomicLong();
                long at = 3 + 7L * round % 11;
                disk.before(_ -> {
                    long call = calls.incrementAndGet();
                    if (call % at == 0 && call < 200) {
                        append(log, 1);
                        long version = journal.endVersion();
                        assertThat(journal.append(version, "{\"v\":1,\"n\":" + next + "}"))
                                .isTrue();
                        journal.awaitDurable(version + 1);
                    }
                });
                BackupReport report = backup(disk, 1);
                long lines = report.manifest().groups().getFirst().version();
                long records = report.manifest().partitions().getFirst().end();
                assertThat(records)
                        .as("records, of which a line each is in the journal")
                        .isGreaterThanOrEqualTo(lines);
            }
        }
    }

    @Test
    void afterAFailedCallTheOldOrTheNewBackupIsWhole() throws IOException {
        try (FileStore store = open(DATA)) {
            PartitionLog log = create(store);
            append(log, 60);
            backup(machine.process(), 1);
            append(log, 60);
            boolean failed = true;
            for (long nth = 1; failed; nth += 1 + nth % 5) {
                FaultyDisk disk = new FaultyDisk(machine.process());
                disk.arm(DiskFault.at(BackupTest::isInBackups).nth(nth));
                try {
                    backup(disk, 1);
                } catch (StoreIoException e) {
                    assertThat(e).hasMessageContaining("/backups");
                } catch (java.io.UncheckedIOException e) {
                    // Some calls report that they cannot fail.
                    assertThat(e.getCause()).isNotNull();
                }
                failed = disk.fired() > 0;
                Path to = Path.of("/restored-" + nth);
                assertThat(restored(BACKUPS, to)).isIn(60L, 120L);
                machine.process().deleteTree(to);
            }
        }
        assertThat(restored(BACKUPS, RESTORED)).isEqualTo(120);
    }

    private static boolean isInBackups(DiskCall call) {
        return call.file().startsWith(BACKUPS);
    }

    @Test
    void afterAPowerCutTheOldOrTheNewBackupIsWhole() {
        long seed = Long.getLong("muster.seed", 7);
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        long calls = 1;
        long before = 60;
        int cuts = 0;
        try (FileStore store = open(DATA)) {
            append(create(store), 60);
            calls = callsOfBackup();
        }
        for (int round = 0; round < 30; round++) {
            FaultyDisk disk = new FaultyDisk(machine.process());
            AtomicLong seen = new AtomicLong();
            // The next backup makes a few more calls. One run in four plans the cut behind the last call, so that there
            // is no cut.
            long at = 1 + random.nextLong(calls * 4 / 3);
            disk.before(_ -> {
                if (seen.incrementAndGet() == at) {
                    machine.powerCut(random, random.nextBoolean() ? Tear.BYTES : Tear.SECTORS);
                }
            });
            try (FileStore store = open(DATA)) {
                append(log(store), 5);
                backup(disk, 1);
            } catch (RuntimeException e) {
                assertThat(seen.get()).as("calls: %s", e).isGreaterThanOrEqualTo(at);
            }
            calls = Math.max(calls, seen.get());
            if (seen.get() >= at) {
                cuts++;
                boot = UUID.randomUUID();
            }
            long after = restored(BACKUPS, Path.of("/restored-" + round));
            assertThat(after).isIn(before, next);
            before = after;
        }
        assertThat(cuts).isBetween(10, 30);
    }

    private long callsOfBackup() {
        FaultyDisk disk = new FaultyDisk(machine.process());
        backup(disk, 1);
        return disk.calls();
    }

    @Test
    void fullDestinationKeepsTheOldBackup() {
        try (FileStore store = open(DATA)) {
            PartitionLog log = create(store);
            append(log, 60);
            backup(machine.process(), 1);
            append(log, 200);
            FaultyDisk disk = new FaultyDisk(machine.process());
            disk.arm(DiskFault.at(call -> call.kind() == Kind.APPEND && isInBackups(call))
                    .nth(4)
                    .fromThenOn()
                    .noRoom(0.5));
            assertThatThrownBy(() -> backup(disk, 1))
                    .isInstanceOf(DiskFullException.class)
                    .hasMessageContaining("/backups")
                    .hasMessageContaining("unchanged");
            assertThat(machine.process().exists(BACKUPS.resolve("draft-000002")))
                    .isFalse();
        }
        assertThat(restored(BACKUPS, RESTORED)).isEqualTo(60);
    }

    @Test
    void damageInTheSourceIsReportedAndCopied() throws IOException {
        Path segment;
        try (FileStore store = open(DATA)) {
            PartitionLog log = create(store);
            append(log, 200);
            Disk disk = machine.process();
            Path folder =
                    DATA.resolve("logs").resolve(topic(store).id().toString()).resolve("partition-0");
            segment = folder.resolve(new TreeSet<>(disk.list(folder))
                    .stream().filter(name -> name.endsWith(".log")).findFirst().orElseThrow());
            flip(disk, segment, 1000);
            BackupReport report = backup(machine.process(), 1);
            assertThat(report.clean()).isFalse();
            assertThat(report.damage()).hasSize(1);
            assertThat(report.damage().getFirst().file()).isEqualTo(segment);
            // The next backup must not take it for a good copy.
            assertThat(backup(machine.process(), 1).damage()).hasSize(1);
        }
        assertThat(restored(BACKUPS, RESTORED)).isBetween(180L, 199L);
    }

    @Test
    void groupWithoutItsFileIsReported() throws IOException {
        try (FileStore store = open(DATA)) {
            append(create(store), 1);
            GroupJournal journal = store.groups().open(new GroupName("readers"));
            assertThat(journal.append(0, "{\"v\":1}")).isTrue();
            journal.awaitDurable(1);
        }
        Path file = DATA.resolve("consumer-groups/readers/group.json");
        machine.process().delete(file);
        BackupReport report = backup(machine.process(), 1);
        assertThat(report.damage()).hasSize(1);
        assertThat(report.damage().getFirst().file()).isEqualTo(file);
    }

    @Test
    void damagedBackupIsNotRestored() throws IOException {
        try (FileStore store = open(DATA)) {
            append(create(store), 100);
            backup(machine.process(), 1);
        }
        Disk disk = machine.process();
        for (String path : List.of("muster.json", "topics/orders/topic.json")) {
            Path file = BACKUPS.resolve("backup-000001").resolve(path);
            byte[] whole = disk.readAll(file);
            flip(disk, file, 10);
            assertThatThrownBy(() ->
                            DirectoryRestore.run(BACKUPS, RESTORED, Stores.options(machine.process(), boot), _ -> {}))
                    .isInstanceOf(StoreIoException.class)
                    .hasMessageContaining(path)
                    .hasMessageContaining("checksum");
            assertThat(disk.list(RESTORED)).isEmpty();
            replace(disk, file, whole);
        }
        assertThat(restored(BACKUPS, RESTORED)).isEqualTo(100);
    }

    /** Both directories give their next segments the same names. A backup of one must not share files of the other. */
    @Test
    void directoriesRestoredFromOneBackupShareNoNewSegments() {
        try (FileStore store = open(DATA)) {
            append(create(store), 100);
            backup(machine.process(), 1);
        }
        Path first = BACKUPS.resolve("backup-000001");
        for (String name : List.of("/one", "/other")) {
            boot = UUID.randomUUID();
            Path directory = Path.of(name);
            DirectoryRestore.run(first, directory, Stores.options(machine.process(), boot), _ -> {});
            // The records of the second directory have other numbers than those of the first.
            try (FileStore store = open(directory)) {
                append(log(store), 100);
            }
            DirectoryBackup.run(directory, BACKUPS, Stores.options(machine.process(), boot), "test", 3, _ -> {});
        }
        DirectoryRestore.run(BACKUPS, RESTORED, Stores.options(machine.process(), boot), _ -> {});
        assertThat(content(RESTORED).numberByOffset())
                .isEqualTo(content(Path.of("/other")).numberByOffset());
    }

    private LogContent content(Path directory) {
        try (FileStore store = open(directory)) {
            return LogContent.read(log(store));
        }
    }

    @Test
    void foreignFoldersAreRefusedAndKept() throws IOException {
        try (FileStore store = open(DATA)) {
            append(create(store), 10);
        }
        Disk disk = machine.process();
        for (String name : List.of("draft-of-a-letter", "expired-contracts", "backup-1", "backup-000007")) {
            Path to = Path.of("/to-" + name);
            disk.createFolders(to.resolve(name).resolve("kept"));
            assertThatThrownBy(() ->
                            DirectoryBackup.run(DATA, to, Stores.options(machine.process(), boot), "test", 1, _ -> {}))
                    .isInstanceOf(UnsupportedStoreException.class)
                    .hasMessageContaining("\"" + name + "\"");
            assertThat(disk.exists(to.resolve(name).resolve("kept"))).as(name).isTrue();
        }
    }

    @Test
    void damagedManifestIsDetected() throws IOException {
        try (FileStore store = open(DATA)) {
            append(create(store), 10);
            backup(machine.process(), 1);
        }
        Disk disk = machine.process();
        Path file = BACKUPS.resolve("backup-000001").resolve("backup.json");
        byte[] whole = disk.readAll(file);
        int checksum = whole.length - 20;
        for (int i = 0; i < whole.length - 1; i += i < checksum ? 7 : 1) {
            flip(disk, file, i);
            assertThatThrownBy(() -> DirectoryRestore.run(BACKUPS, RESTORED, Stores.options(disk, boot), _ -> {}))
                    .as("byte %d", i)
                    .isInstanceOf(StoreIoException.class)
                    .hasMessageContaining("backup.json cannot be understood");
            replace(disk, file, whole);
        }
        assertThat(restored(BACKUPS, RESTORED)).isEqualTo(10);
    }

    @Test
    void afterADamagedManifestTheNextBackupIsWhole() throws IOException {
        try (FileStore store = open(DATA)) {
            append(create(store), 100);
            backup(machine.process(), 3);
            append(log(store), 100);
            backup(machine.process(), 3);
            flip(machine.process(), BACKUPS.resolve("backup-000002").resolve("backup.json"), 20);
            BackupReport third = backup(machine.process(), 3);
            assertThat(third.folder()).isEqualTo(BACKUPS.resolve("backup-000003"));
            assertThat(third.reused()).as("shared with the first").isPositive();
        }
        assertThat(restored(BACKUPS, RESTORED)).isEqualTo(200);
    }

    @Test
    void oneOfTwoRestoresIntoOneDirectoryIsRefused() {
        try (FileStore store = open(DATA)) {
            append(create(store), 100);
            backup(machine.process(), 1);
        }
        for (int at = 1; at <= 30; at++) {
            Path to = Path.of("/to-" + at);
            FaultyDisk disk = new FaultyDisk(machine.process());
            AtomicLong calls = new AtomicLong();
            AtomicLong refused = new AtomicLong();
            int begins = at;
            disk.before(_ -> {
                if (calls.incrementAndGet() == begins) {
                    restoreOrCount(machine.process(), to, refused);
                }
            });
            restoreOrCount(disk, to, refused);
            assertThat(refused.get()).as("the second begins at call %d", at).isOne();
            assertThat(numbers(to)).isEqualTo(100);
            assertThat(machine.process().exists(to.resolve("restore.lock"))).isFalse();
        }
    }

    private void restoreOrCount(Disk disk, Path to, AtomicLong refused) {
        try {
            DirectoryRestore.run(BACKUPS, to, Stores.options(disk, boot), _ -> {});
        } catch (UnsupportedStoreException e) {
            refused.incrementAndGet();
        }
    }

    /** A repair must not turn an unfinished restore into a store. */
    @Test
    void killedRestoreIsNoStoreEvenForARepair() {
        try (FileStore store = open(DATA)) {
            append(create(store), 100);
            backup(machine.process(), 1);
        }
        FaultyDisk counting = new FaultyDisk(machine.process());
        DirectoryRestore.run(BACKUPS, Path.of("/whole"), Stores.options(counting, boot), _ -> {});
        int stores = 0;
        for (long last = 1; last <= counting.calls(); last += 3) {
            Path to = Path.of("/killed-" + last);
            SimulatedProcess process = machine.process();
            FaultyDisk disk = new FaultyDisk(process);
            AtomicLong calls = new AtomicLong();
            long at = last;
            disk.before(_ -> {
                if (calls.incrementAndGet() == at) {
                    process.kill();
                }
            });
            try {
                DirectoryRestore.run(BACKUPS, to, Stores.options(disk, boot), _ -> {});
            } catch (RuntimeException e) {
                assertThat(calls.get()).as("calls: %s", e).isGreaterThanOrEqualTo(at);
            }
            try {
                DirectoryCheck.run(to, Stores.options(machine.process(), boot), true, _ -> {});
            } catch (StoreNotFoundException e) {
                assertThat(machine.process().exists(to.resolve("muster.json"))).isFalse();
            }
            if (machine.process().exists(to.resolve("muster.json"))) {
                stores++;
                assertThat(numbers(to)).as("killed at call %d", last).isEqualTo(100);
            }
        }
        assertThat(stores).as("killed behind the last step").isPositive();
    }

    @Test
    void restoreWithoutRoomLeavesAnEmptyDirectory() throws IOException {
        try (FileStore store = open(DATA)) {
            append(create(store), 100);
            backup(machine.process(), 1);
        }
        FaultyDisk disk = new FaultyDisk(machine.process());
        disk.arm(DiskFault.at(call -> call.kind() == Kind.APPEND)
                .nth(4)
                .fromThenOn()
                .noRoom(0.5));
        assertThatThrownBy(() -> DirectoryRestore.run(BACKUPS, RESTORED, Stores.options(disk, boot), _ -> {}))
                .isInstanceOf(DiskFullException.class)
                .hasMessageContaining("nothing was restored");
        assertThat(machine.process().list(RESTORED)).isEmpty();
        assertThat(restored(BACKUPS, RESTORED)).isEqualTo(100);
    }

    @Test
    void directoryThatIsNotEmptyIsNotRestoredOver() {
        try (FileStore store = open(DATA)) {
            append(create(store), 10);
            backup(machine.process(), 1);
            assertThatThrownBy(
                            () -> DirectoryRestore.run(BACKUPS, DATA, Stores.options(machine.process(), boot), _ -> {}))
                    .hasMessageContaining("holds a store already");
            assertThatThrownBy(() ->
                            DirectoryRestore.run(DATA, RESTORED, Stores.options(machine.process(), boot), _ -> {}))
                    .isInstanceOf(BackupNotFoundException.class);
        }
    }

    @Test
    void backupOfAnotherStoreIsRefused() {
        try (FileStore store = open(DATA)) {
            append(create(store), 10);
            backup(machine.process(), 1);
        }
        try (FileStore other = open(Path.of("/other"))) {
            create(other);
            assertThatThrownBy(() -> DirectoryBackup.run(
                            Path.of("/other"), BACKUPS, Stores.options(machine.process(), boot), "test", 1, _ -> {}))
                    .hasMessageContaining("another store");
        }
        assertThatThrownBy(() -> DirectoryBackup.run(
                        DATA, DATA.resolve("logs"), Stores.options(machine.process(), boot), "test", 1, _ -> {}))
                .hasMessageContaining("must neither be inside");
        assertThatThrownBy(() -> DirectoryBackup.run(
                        DATA, Path.of("/other"), Stores.options(machine.process(), boot), "test", 1, _ -> {}))
                .hasMessageContaining("not a backup");
    }

    /** Clients that have read beyond the end of the backup see a leader epoch that they do not know. */
    @Test
    void restoredPartitionsBeginALaterLeaderEpoch() {
        try (FileStore store = open(DATA)) {
            append(create(store), 100);
            backup(machine.process(), 1);
        }
        DirectoryRestore.run(BACKUPS, RESTORED, Stores.options(machine.process(), boot), _ -> {});
        int epoch;
        try (FileStore store = open(RESTORED)) {
            PartitionLog log = log(store);
            epoch = log.leaderEpoch();
            assertThat(epoch).isGreaterThan(1_000_000);
            assertThat(log.endOfEpoch(0)).isEqualTo(100);
            // The epoch of a power cut after the backup, which the restored directory does not know.
            assertThat(log.endOfEpoch(3)).isEqualTo(100);
            append(log, 5);
            assertThat(log.endOfEpoch(3)).isEqualTo(100);
            assertThat(log.endOfEpoch(epoch)).isEqualTo(105);
        }
        DirectoryBackup.run(RESTORED, Path.of("/again"), Stores.options(machine.process(), boot), "test", 1, _ -> {});
        DirectoryRestore.run(Path.of("/again"), Path.of("/twice"), Stores.options(machine.process(), boot), _ -> {});
        try (FileStore store = open(Path.of("/twice"))) {
            PartitionLog log = log(store);
            assertThat(log.leaderEpoch()).isGreaterThan(epoch);
            append(log, 5);
            assertThat(LogContent.read(log).numberByOffset()).hasSize(110);
        }
    }

    @Test
    void restoreGivesNoProducerIdTwice() {
        List<Long> before = new ArrayList<>();
        try (FileStore store = open(DATA)) {
            append(create(store), 1);
            backup(machine.process(), 1);
            for (int i = 0; i < 200; i++) {
                before.add(store.newProducerId());
            }
        }
        DirectoryRestore.run(BACKUPS, RESTORED, Stores.options(machine.process(), boot), _ -> {});
        try (FileStore store = open(RESTORED)) {
            assertThat(before).doesNotContain(store.newProducerId());
        }
    }

    /** No process has opened the directory since the power cut. The backup finds the end as recovery does. */
    @Test
    void directoryWithoutARecoveryIsBackedUp() {
        try (FileStore store = open(DATA)) {
            append(create(store), 100);
            machine.powerCut(new Random(3), Tear.BYTES);
        } catch (RuntimeException e) {
            assertThat(e).hasMessageContaining("power is off");
        }
        boot = UUID.randomUUID();
        backup(machine.process(), 1);
        assertThat(restored(BACKUPS, RESTORED)).isEqualTo(100);
    }

    // ---- parts

    private FileStore open(Path directory) {
        return Stores.open(machine.process(), directory, boot);
    }

    private BackupReport backup(Disk disk, int keep) {
        return DirectoryBackup.run(DATA, BACKUPS, Stores.options(disk, boot), "test", keep, _ -> {});
    }

    private static PartitionLog create(FileStore store) {
        return store.log(store.create(TOPIC, 1, SETTINGS).id(), 0);
    }

    private static Topic topic(FileStore store) {
        return store.find(TOPIC).orElseThrow();
    }

    private static PartitionLog log(FileStore store) {
        return store.log(topic(store).id(), 0);
    }

    private void append(PartitionLog log, int count) {
        for (int i = 0; i < count; i++) {
            long offset = log.append(NumberedRecords.batch(next, 1));
            next++;
            log.awaitDurable(offset + 1);
        }
    }

    /** Restores the backup and returns the number of records. Each must be as it was sent. */
    private long restored(Path from, Path to) {
        DirectoryRestore.run(from, to, Stores.options(machine.process(), boot), _ -> {});
        return numbers(to);
    }

    private long numbers(Path directory) {
        try (FileStore store = open(directory)) {
            LogContent content = LogContent.read(log(store));
            content.numberByOffset()
                    .forEach((offset, number) -> assertThat(number).isEqualTo(offset));
            return content.numberByOffset().size();
        }
    }

    private static void flip(Disk disk, Path file, int at) throws IOException {
        byte[] bytes = disk.readAll(file);
        bytes[at] ^= 1;
        replace(disk, file, bytes);
    }

    private static void replace(Disk disk, Path file, byte[] bytes) throws IOException {
        disk.delete(file);
        try (DiskFile writing = disk.openForAppend(file)) {
            writing.append(bytes, 0, bytes.length);
            writing.sync();
        }
        disk.syncFolder(file.getParent());
    }
}
