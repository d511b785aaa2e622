package dev.muster.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.Topic;
import dev.muster.core.TopicName;
import dev.muster.core.TopicSettings;
import dev.muster.core.group.model.GroupName;
import dev.muster.core.group.model.HostId;
import dev.muster.store.LogStore;
import dev.muster.store.PartitionLog;
import dev.muster.store.group.GroupJournal;
import dev.muster.store.group.Hosts;
import dev.muster.testkit.NumberedRecords;
import dev.muster.testkit.disk.FaultyDisk;
import dev.muster.testkit.disk.MemoryDisk;
import dev.muster.testkit.disk.PacedMachine;
import java.nio.file.Path;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** A process that has topics and groups open, watches other processes and waits for records makes no disk calls. */
class IdleStoreIT {
    private static final Path DIRECTORY = Path.of("/data");
    private static final UUID BOOT = new UUID(1, 1);
    private static final int BEATS = 3;

    @Test
    void idleProcessMakesNoDiskCalls() throws Exception {
        MemoryDisk machine = new MemoryDisk();
        PacedMachine pace = new PacedMachine();
        FaultyDisk disk = new FaultyDisk(machine.process(pace));
        try (LogStore beside = Stores.open(machine.process(), DIRECTORY, BOOT);
                LogStore store = Stores.open(disk, DIRECTORY, BOOT)) {
            Topic topic = store.create(new TopicName("orders"), 4, TopicSettings.DEFAULT);
            PartitionLog log = store.log(topic.id(), 0);
            log.awaitDurable(log.append(NumberedRecords.batch(1, 3)) + 3);
            GroupJournal journal = store.groups().open(new GroupName("workers"));
            assertThat(journal.append(0, "{}")).isTrue();
            journal.awaitDurable(1);
            Hosts hosts = store.groups().hosts();
            HostId other = beside.groups().hosts().self();
            try (var _ = log.onAppend(() -> {});
                    var _ = journal.onAppend(() -> {});
                    var _ = store.onTopicsChange(() -> {});
                    var _ = hosts.watch(other, _ -> {})) {
                // The beats of a known host are read from its page.
                pace.keepHouse();
                awaitBeats(hosts, other, 2);
                long before = disk.calls();
                for (int i = 0; i < BEATS; i++) {
                    hosts.renew();
                    assertThat(journal.endVersion()).isEqualTo(1);
                    journal.awaitDurable(1);
                    assertThat(store.topicsVersion()).isPositive();
                    assertThat(log.endOffset()).isEqualTo(3);
                    pace.keepHouse();
                    awaitBeats(hosts, other, 1);
                }
                assertThat(disk.calls() - before)
                        .as("disk calls in %d beats of an idle process", BEATS)
                        .isZero();
            }
        }
    }

    /** The ticks of the upkeep, one each second. */
    private static void awaitBeats(Hosts hosts, HostId host, int count) {
        long until = hosts.renewals(host).orElseThrow() + count;
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
        while (hosts.renewals(host).orElseThrow() < until) {
            assertThat(System.nanoTime()).as("beats came in time").isLessThan(deadline);
            LockSupport.parkNanos(1_000_000);
        }
    }
}
