package dev.muster.simulation.file;

import static dev.muster.testkit.ContractRecords.awaitEndAbove;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.TopicName;
import dev.muster.core.TopicSettings;
import dev.muster.engine.read.PartitionsReader;
import dev.muster.engine.read.ReadErrorPolicy;
import dev.muster.engine.read.ReadTarget;
import dev.muster.engine.runtime.EngineRuntime;
import dev.muster.store.DamagedLogException;
import dev.muster.store.LogStore;
import dev.muster.store.OffsetOutOfRangeException;
import dev.muster.store.PartitionLog;
import dev.muster.store.file.FileStore;
import dev.muster.store.watch.Registration;
import dev.muster.testkit.NumberedRecords;
import dev.muster.testkit.disk.MemoryDisk;
import dev.muster.testkit.disk.PacedMachine;
import dev.muster.testkit.disk.SimulatedProcess;
import dev.muster.testkit.sim.SimProcess;
import dev.muster.testkit.sim.Simulation;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** A writer dies between its write and its sync: a reader that waits in another process syncs the record. */
class UnsyncedRecordsTest {
    private static final Path DIRECTORY = Path.of("/data");
    private static final UUID BOOT = new UUID(1, 1);
    private static final TopicName TOPIC = new TopicName("orders");
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);

    private final MemoryDisk machine = new MemoryDisk();
    private final PacedMachine writersPace = new PacedMachine();
    private final SimulatedProcess writing = machine.process(writersPace);

    @Test
    void aWaitingReaderGetsADeadWritersRecordWithoutHousekeeping() {
        try (LogStore store = openWithRestingUpkeep();
                PartitionsReader reader = reader(store)) {
            // Now the reader is subscribed, like a waiting reader.
            assertThat(poll(reader, TimeUnit.MILLISECONDS.toNanos(50))).isEmpty();
            appendAndDie(7);
            assertThat(poll(reader, PATIENCE_NANOS)).containsExactly(7L);
        }
    }

    @Test
    void aLaterReaderGetsADeadWritersRecordWithoutHousekeeping() {
        try (LogStore store = openWithRestingUpkeep();
                PartitionsReader reader = reader(store)) {
            appendAndDie(7);
            assertThat(poll(reader, PATIENCE_NANOS)).containsExactly(7L);
        }
    }

    @Test
    void awaitRecordsReturnsForADeadWritersRecordWithoutHousekeeping() {
        try (FileStore store = openWithRestingUpkeep()) {
            PartitionLog log = store.log(store.find(TOPIC).orElseThrow().id(), 0);
            appendAndDie(7);
            assertThat(awaitEndAbove(log, 0, Duration.ofNanos(PATIENCE_NANOS))).isTrue();
        }
    }

    /** Simulated time makes the delay exact. The deaths are spread over the whole period. */
    @Test
    void theDelayIsAtMostThePeriodPlusTheGrace() {
        long longest = 0;
        for (int round = 0; round < 40; round++) {
            longest = Math.max(longest, simulatedDelay(round, 40_000_000L + round * 7_300_000L));
        }
        System.out.printf("longest delay of 40 unsynced records: %.1f ms%n", longest / 1e6);
        assertThat(longest).isBetween(11_000_000L, 211_000_000L);
    }

    /** @return nanoseconds from the append to the moment at which the reader sees the record */
    private static long simulatedDelay(long seed, long waited) {
        Simulation sim = new Simulation(seed);
        AtomicLong appended = new AtomicLong();
        AtomicLong seen = new AtomicLong();
        SimProcess reading = sim.start("reader");
        SimProcess dying = sim.start("writer");
        reading.spawn("main", () -> {
            FileStore store = Stores.open(reading.disk(), DIRECTORY, BOOT);
            PartitionLog log = log(store);
            try (Registration _ = log.onAppend(() -> noteOnce(seen, log, sim))) {
                reading.sleep(TimeUnit.MINUTES.toNanos(1));
            }
        });
        dying.spawn("main", () -> {
            dying.sleep(500_000_000);
            FileStore store = Stores.open(dying.disk(), DIRECTORY, BOOT);
            PartitionLog log = log(store);
            dying.sleep(waited);
            log.append(NumberedRecords.batch(0, 1));
            appended.set(sim.now());
            dying.end();
        });
        sim.run(sim.now() + TimeUnit.SECONDS.toNanos(5));
        sim.end();
        assertThat(seen.get()).as("time of the sync").isPositive();
        return seen.get() - appended.get();
    }

    private static void noteOnce(AtomicLong seen, PartitionLog log, Simulation sim) {
        if (seen.get() == 0 && log.endOffset() == 1) {
            seen.set(sim.now());
        }
    }

    private static PartitionLog log(FileStore store) {
        return store.log(
                store.find(TOPIC)
                        .orElseGet(() -> store.create(TOPIC, 1, TopicSettings.DEFAULT))
                        .id(),
                0);
    }

    private FileStore openWithRestingUpkeep() {
        PacedMachine pace = new PacedMachine();
        FileStore store = Stores.open(machine.process(pace), DIRECTORY, BOOT);
        pace.awaitRest();
        log(store);
        return store;
    }

    private void appendAndDie(long number) {
        LogStore store = Stores.open(writing, DIRECTORY, BOOT);
        writersPace.awaitRest();
        store.log(store.find(TOPIC).orElseThrow().id(), 0).append(NumberedRecords.batch(number, 1));
        writing.kill();
        Stores.endThreadsOf(store);
    }

    private static List<Long> poll(PartitionsReader reader, long timeoutNanos) {
        List<Long> numbers = new ArrayList<>();
        int count = reader.poll(10, timeoutNanos, (_, record) -> numbers.add(NumberedRecords.number(record.value())));
        assertThat(numbers).hasSize(count);
        return numbers;
    }

    private static PartitionsReader reader(LogStore store) {
        return new PartitionsReader(
                store,
                EngineRuntime.system(),
                List.of(new ReadTarget(TOPIC, List.of(0))),
                PartitionLog::startOffset,
                new ReadErrorPolicy() {
                    @Override
                    public long outOfRange(PartitionLog log, OffsetOutOfRangeException problem) {
                        throw problem;
                    }

                    @Override
                    public long damaged(PartitionLog log, DamagedLogException problem) {
                        throw problem;
                    }
                });
    }
}
