package dev.muster.store.file.trouble;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.core.Topic;
import dev.muster.core.TopicName;
import dev.muster.core.TopicSettings;
import dev.muster.store.DiskFullException;
import dev.muster.store.LogStore;
import dev.muster.store.PartitionLog;
import dev.muster.store.SyncFailedException;
import dev.muster.store.file.FileStore;
import dev.muster.store.file.FileStoreOptions;
import dev.muster.store.file.Stores;
import dev.muster.store.file.log.FilePartition;
import dev.muster.testkit.ExpectedTrouble;
import dev.muster.testkit.NumberedRecords;
import dev.muster.testkit.disk.MemoryDisk;
import dev.muster.testkit.disk.PacedMachine;
import dev.muster.testkit.disk.SimulatedProcess;
import dev.muster.testkit.disk.Tear;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A disk that cannot sync, and one that is full: operations fail, nothing is lost, and work continues. */
@ExtendWith(ExpectedTrouble.class)
class FailingDiskTest {
    private static final Path DIRECTORY = Path.of("/data");
    private static final UUID BOOT = new UUID(1, 1);

    private final MemoryDisk machine = new MemoryDisk();
    private final PacedMachine pace = new PacedMachine();
    private final SimulatedProcess process = machine.process(pace);
    private final Ledger ledger = new Ledger();
    private LogStore store;
    private Topic topic;
    private PartitionLog log;
    private long next;

    @BeforeEach
    void makeALog() {
        store = Stores.open(process, DIRECTORY, BOOT);
        // The upkeep would sync records that a test has left unsynced on purpose.
        pace.awaitRest();
        topic = store.create(new TopicName("orders"), 1, TopicSettings.DEFAULT.with("retention.ms", "-1"));
        log = store.log(topic.id(), 0);
        append(log, 3);
    }

    private void append(PartitionLog to, int count) {
        long first = next;
        next += count;
        ledger.sending(first, count);
        long offset = to.append(NumberedRecords.batch(first, count));
        to.awaitDurable(offset + count);
        ledger.acknowledged(offset, first, count);
    }

    private long logFiles() throws IOException {
        return process.list(DIRECTORY.resolve("logs/" + topic.id() + "/partition-0")).stream()
                .filter(name -> name.endsWith(".log"))
                .count();
    }

    @Test
    void afterAFailedSyncAppendsContinueInANewSegment() throws IOException {
        long segments = logFiles();
        long visible = log.endOffset();
        ledger.allowGaps();
        machine.failSyncs(1);
        assertThatThrownBy(() -> append(log, 2))
                .isInstanceOf(SyncFailedException.class)
                .hasMessageContaining("sync");
        ledger.refused(next - 2, 2);
        assertThat(log.endOffset()).as("visible end").isGreaterThanOrEqualTo(visible);
        append(log, 2);
        assertThat(logFiles()).isGreaterThan(segments);
        ledger.check(log);
        machine.powerCut(new Random(1), Tear.BYTES);
        try (LogStore after = Stores.open(machine.process(), DIRECTORY, new UUID(2, 2))) {
            ledger.check(after.log(topic.id(), 0));
            append(after.log(topic.id(), 0), 2);
            ledger.check(after.log(topic.id(), 0));
        }
    }

    @Test
    void catchUpAfterAFailedSyncLeavesTheSegmentAndCanSync() throws IOException {
        long segments = logFiles();
        ledger.allowGaps();
        machine.failSyncs(1);
        assertThatThrownBy(() -> append(log, 2)).isInstanceOf(SyncFailedException.class);
        ledger.refused(next - 2, 2);
        assertThatThrownBy(((FilePartition) log)::sync)
                .as("nobody has given it up")
                .isInstanceOf(SyncFailedException.class);
        log.settle();
        ((FilePartition) log).sync();
        assertThat(logFiles()).isEqualTo(segments + 1);
        log.settle();
        assertThat(logFiles()).as("once is enough").isEqualTo(segments + 1);
        ledger.check(log);
        append(log, 2);
        ledger.check(log);
        machine.powerCut(new Random(7), Tear.BYTES);
        try (LogStore after = Stores.open(machine.process(), DIRECTORY, new UUID(2, 2))) {
            ledger.check(after.log(topic.id(), 0));
        }
    }

    @Test
    void failedSyncFailsForOtherProcessesToo() {
        PacedMachine theirPace = new PacedMachine();
        LogStore others = Stores.open(machine.process(theirPace), DIRECTORY, BOOT);
        theirPace.awaitRest();
        PartitionLog other = others.log(topic.id(), 0);
        append(other, 1);
        long first = next;
        next += 1;
        ledger.sending(first, 1);
        long offset = other.append(NumberedRecords.batch(first, 1));
        ledger.allowGaps();
        machine.failSyncs(1);
        assertThatThrownBy(() -> append(log, 1)).isInstanceOf(SyncFailedException.class);
        ledger.refused(next - 1, 1);
        assertThatThrownBy(() -> other.awaitDurable(offset + 1)).isInstanceOf(SyncFailedException.class);
        ledger.refused(first, 1);
        append(other, 1);
        append(log, 1);
        ledger.check(log);
        ledger.check(other);
        machine.powerCut(new Random(5), Tear.SECTORS);
        try (LogStore after = Stores.open(machine.process(), DIRECTORY, new UUID(2, 2))) {
            ledger.check(after.log(topic.id(), 0));
        }
    }

    @Test
    void fullDiskIsAnErrorThatLosesNothingAndEndsWithRoom() throws IOException {
        machine.capacity(machine.used() + 100);
        long segments = logFiles();
        for (int i = 0; i < 20; i++) {
            assertThatThrownBy(() -> append(log, 2))
                    .isInstanceOf(DiskFullException.class)
                    .hasMessageContaining("no room");
            ledger.refused(next - 2, 2);
        }
        assertThat(logFiles() - segments)
                .as("segments begun by tries that failed")
                .isLessThanOrEqualTo(2);
        ledger.check(log);
        FileStoreOptions options = Stores.options(machine.process(), BOOT);
        try (LogStore another = FileStore.open(DIRECTORY, options)) {
            ledger.check(another.log(topic.id(), 0));
        }
        try (LogStore reader = FileStore.open(DIRECTORY, options.withReadOnly(true))) {
            ledger.check(reader.log(topic.id(), 0));
        }
        machine.capacity(Long.MAX_VALUE);
        assertThat(store.disk()).as("no limit is known").isEmpty();
        append(log, 2);
        ledger.check(log);
        machine.powerCut(new Random(3), Tear.BYTES);
        try (LogStore after = Stores.open(machine.process(), DIRECTORY, new UUID(2, 2))) {
            ledger.check(after.log(topic.id(), 0));
        }
        Stores.checkIsClean(machine, DIRECTORY, new UUID(2, 2));
    }

    @Test
    void killedWriterLeavesNoTornBatch() throws IOException {
        for (int kept = 0; ; kept += 7) {
            if (kept >= NumberedRecords.batch(next + 1, 2).size()) {
                break;
            }
            SimulatedProcess doomed = machine.process();
            LogStore dying = Stores.open(doomed, DIRECTORY, BOOT);
            PartitionLog its = dying.log(topic.id(), 0);
            append(its, 1);
            doomed.killInNextAppend(kept);
            long first = next;
            next += 2;
            ledger.sending(first, 2);
            assertThatThrownBy(() -> its.append(NumberedRecords.batch(first, 2)))
                    .isInstanceOf(RuntimeException.class);
            append(log, 1);
            ledger.check(log);
            Stores.endThreadsOf(dying);
        }
        Stores.checkIsClean(machine, DIRECTORY, BOOT);
    }
}
