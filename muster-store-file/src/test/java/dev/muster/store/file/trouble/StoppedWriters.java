package dev.muster.store.file.trouble;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.Topic;
import dev.muster.core.TopicName;
import dev.muster.core.TopicSettings;
import dev.muster.store.LogStore;
import dev.muster.store.PartitionLog;
import dev.muster.store.file.Stores;
import dev.muster.testkit.ExpectedTrouble;
import dev.muster.testkit.NumberedRecords;
import dev.muster.testkit.disk.CallGate;
import dev.muster.testkit.disk.FaultyDisk;
import dev.muster.testkit.disk.MemoryDisk;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Goal: a process that is stopped at any point of an append does not block others for long, whether it holds the lock
 * or not. When it continues, its records count once or not at all. Method: stop it before, then after, the n-th disk
 * call of its append, for every n or some, while another process appends.
 */
@Tag("figures")
@Timeout(value = 5, unit = TimeUnit.MINUTES)
@ExtendWith(ExpectedTrouble.class)
abstract class StoppedWriters {
    private static final Path DIRECTORY = Path.of("/data");
    private static final UUID BOOT = new UUID(1, 1);
    /** The promised limit, judged with {@code -Pfigures}. */
    private static final Duration STALL_MAX = Duration.ofSeconds(1);

    private static final boolean JUDGED = Boolean.getBoolean("muster.figures");

    private static final int CALLS_MAX = 200;

    /** The step between the calls that are tried. */
    private final int step;

    private final AtomicInteger numbers = new AtomicInteger();

    StoppedWriters(int step) {
        this.step = step;
    }

    /**
     * @param records the number of records that the stopped writer appends at once; many make it begin a new segment
     * @param fresh true if the partition is new, so that one of the two processes begins it
     */
    @ParameterizedTest(name = "{0} records, stopped after the call: {1}, new partition: {2}")
    @CsvSource({
        "2, false, false",
        "2, true, false",
        "40, false, false",
        "40, true, false",
        "2, false, true",
        "2, true, true"
    })
    void aStoppedWriterStopsNobodyAndCountsOnce(int records, boolean after, boolean fresh) throws Exception {
        Duration longest = Duration.ZERO;
        int n = 1;
        for (; n < CALLS_MAX; n += step) {
            Duration stall = stopAt(n, after, records, fresh);
            if (stall == null) {
                break;
            }
            longest = stall.compareTo(longest) > 0 ? stall : longest;
        }
        System.out.printf(
                "stopped writer: records=%d after=%s fresh=%s last place=%d longest stall=%s%n",
                records, after, fresh, n - 1, longest);
        assertThat(n).as("places where it was stopped").isBetween(4, CALLS_MAX - 1);
    }

    /** @return the longest append of the other process; null if the stopped writer's append has fewer calls */
    private Duration stopAt(int n, boolean after, int records, boolean fresh) throws Exception {
        MemoryDisk machine = new MemoryDisk();
        FaultyDisk disk = new FaultyDisk(machine.process());
        Ledger ledger = new Ledger();
        try (LogStore sleepersStore = Stores.open(disk, DIRECTORY, BOOT);
                LogStore othersStore = Stores.open(machine.process(), DIRECTORY, BOOT)) {
            Topic topic = sleepersStore.create(
                    new TopicName("orders"),
                    1,
                    TopicSettings.DEFAULT.with("retention.ms", "-1").withSegmentBytes(4096));
            PartitionLog sleepers = sleepersStore.log(topic.id(), 0);
            PartitionLog others = othersStore.log(topic.id(), 0);
            if (!fresh) {
                append(sleepers, ledger, 1);
                append(others, ledger, 1);
            }

            AtomicReference<Thread> sleeper = new AtomicReference<>();
            AtomicInteger calls = new AtomicInteger();
            CallGate gate = after
                    ? disk.stopAfter(_ -> Thread.currentThread() == sleeper.get() && calls.incrementAndGet() == n)
                    : disk.stopBefore(_ -> Thread.currentThread() == sleeper.get() && calls.incrementAndGet() == n);
            CompletableFuture<Void> sleeping = CompletableFuture.runAsync(
                    () -> {
                        sleeper.set(Thread.currentThread());
                        append(sleepers, ledger, records);
                    },
                    task -> Thread.ofPlatform().daemon().start(task));
            if (!gate.awaitArrivalOr(sleeping)) {
                sleeping.get();
                ledger.check(others);
                return null;
            }
            Duration longest = Duration.ZERO;
            for (int i = 0; i < 10; i++) {
                long start = System.nanoTime();
                append(others, ledger, 2);
                Duration took = Duration.ofNanos(System.nanoTime() - start);
                longest = took.compareTo(longest) > 0 ? took : longest;
            }
            if (JUDGED) {
                assertThat(longest)
                        .as("the other's longest append, sleeper stopped at call %d", n)
                        .isLessThan(STALL_MAX);
            }
            ledger.check(others);
            assertThat(sleeping).isNotDone();
            gate.release();
            sleeping.get(2, TimeUnit.MINUTES);
            append(sleepers, ledger, 1);
            append(others, ledger, 1);
            ledger.check(others);
            ledger.check(sleepers);
            return longest;
        } finally {
            Stores.checkIsClean(machine, DIRECTORY, BOOT);
        }
    }

    private void append(PartitionLog log, Ledger ledger, int count) {
        int first = numbers.getAndAdd(count);
        ledger.sending(first, count);
        long offset = log.append(NumberedRecords.batch(first, count));
        log.awaitDurable(offset + count);
        ledger.acknowledged(offset, first, count);
    }
}
