package dev.muster.store.file.trouble;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.MusterException;
import dev.muster.core.Topic;
import dev.muster.core.TopicName;
import dev.muster.core.TopicSettings;
import dev.muster.store.LogStore;
import dev.muster.store.PartitionLog;
import dev.muster.store.file.FileStore;
import dev.muster.store.file.Stores;
import dev.muster.testkit.ExpectedTrouble;
import dev.muster.testkit.NumberedRecords;
import dev.muster.testkit.disk.FaultyDisk;
import dev.muster.testkit.disk.MemoryDisk;
import dev.muster.testkit.disk.SimulatedProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Goal: after a process died during the deletion of a topic, the topic either works or does not exist. Method: the
 * process is killed at the n-th call of a delete, for every n, and other processes of the same boot use the directory.
 */
@ExtendWith(ExpectedTrouble.class)
class KilledInDeleteTest {
    private static final Path DIRECTORY = Path.of("/data");
    private static final TopicName ORDERS = new TopicName("orders");
    private static final UUID BOOT = new UUID(5, 5);
    private static final int CALLS_MAX = 200;

    private int there;
    private int gone;

    @Test
    void afterAKillInADeleteTheTopicWorksOrIsGone() throws Exception {
        int n = 1;
        while (isKilledAt(n)) {
            n++;
            assertThat(n).isLessThan(CALLS_MAX);
        }
        System.out.printf(
                "killed in a delete: calls=%d, the topic was there %d times, gone %d times%n", n, there, gone);
        assertThat(there)
                .as("killed before it was deleted, or this test is blind")
                .isPositive();
        assertThat(gone).as("killed afterwards").isPositive();
    }

    /**
     * Kills a process at a call of a delete.
     *
     * @return true if the delete has this many calls
     */
    private boolean isKilledAt(int n) throws Exception {
        MemoryDisk machine = new MemoryDisk();
        SimulatedProcess process = machine.process();
        FaultyDisk disk = new FaultyDisk(process);
        LogStore victims = Stores.open(disk, DIRECTORY, BOOT);
        Topic topic = victims.create(ORDERS, 2, TopicSettings.DEFAULT);
        append(victims.log(topic.id(), 0));
        AtomicInteger calls = new AtomicInteger();
        disk.before(_ -> {
            if (Thread.currentThread().getName().equals("victim") && calls.incrementAndGet() == n) {
                process.kill();
            }
        });
        Thread victim = Thread.ofPlatform().name("victim").start(() -> {
            try {
                victims.delete(ORDERS);
            } catch (MusterException | UncheckedIOException e) {
                assertThat(process.isAlive()).as("why it failed: %s", e).isFalse();
            }
        });
        assertThat(victim.join(Duration.ofMinutes(2))).isTrue();
        boolean killed = !process.isAlive();
        process.kill();
        try {
            othersGoOn(machine, topic);
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError("killed at call " + n, e);
        }
        Stores.endThreadsOf(victims);
        return killed;
    }

    private void othersGoOn(MemoryDisk machine, Topic topic) throws IOException {
        try (LogStore store = Stores.open(machine.process(), DIRECTORY, BOOT)) {
            Optional<Topic> found = store.find(ORDERS);
            assertThat(store.list()).isEqualTo(found.stream().toList());
            if (found.isPresent()) {
                there++;
                assertThat(found.get().id()).isEqualTo(topic.id());
                append(store.log(topic.id(), 0));
            } else {
                gone++;
                Topic anew = store.create(ORDERS, 1, TopicSettings.DEFAULT);
                assertThat(anew.id()).isNotEqualTo(topic.id());
                append(store.log(anew.id(), 0));
            }
            store.delete(ORDERS);
        }
        leavesNothing(machine);
    }

    /** The upkeep finishes the deletion of a dead process. */
    private static void leavesNothing(MemoryDisk machine) throws IOException {
        SimulatedProcess process = machine.process();
        try (LogStore store =
                FileStore.open(DIRECTORY, Stores.options(process, BOOT).withRetentionInterval(Duration.ofMillis(1)))) {
            long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
            while (!left(process).isEmpty()) {
                assertThat(System.nanoTime())
                        .as("still there: %s", left(process))
                        .isLessThan(deadline);
                LockSupport.parkNanos(1_000_000);
            }
            assertThat(store.list()).isEmpty();
        }
    }

    private static List<String> left(SimulatedProcess process) throws IOException {
        List<String> left = process.list(DIRECTORY.resolve(".coordinator/drafts"));
        left.addAll(process.list(DIRECTORY.resolve(".trash")));
        left.addAll(process.list(DIRECTORY.resolve("logs")));
        return left;
    }

    private static void append(PartitionLog log) {
        log.awaitDurable(log.append(NumberedRecords.batch(1, 1)) + 1);
    }
}
