package dev.muster.store.file.trouble;

import static dev.muster.testkit.ContractRecords.awaitEndAbove;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.SyncLevel;
import dev.muster.core.Topic;
import dev.muster.core.TopicId;
import dev.muster.core.TopicName;
import dev.muster.core.TopicSettings;
import dev.muster.disk.Disk;
import dev.muster.store.LogStore;
import dev.muster.store.PartitionLog;
import dev.muster.store.file.Stores;
import dev.muster.store.file.log.FilePartition;
import dev.muster.testkit.NumberedRecords;
import dev.muster.testkit.disk.FaultyDisk;
import dev.muster.testkit.disk.MemoryDisk;
import dev.muster.testkit.disk.RecordingDisk;
import dev.muster.testkit.disk.SimulatedProcess;
import dev.muster.testkit.disk.Tear;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * One machine that loses power again and again at random disk calls, in recovery too, while processes on it append and
 * are killed in mid-write. After each cut the content of the log is compared with the acknowledged records. The seed
 * decides everything.
 */
final class PowerCutRun {
    private static final TopicName TOPIC = new TopicName("orders");
    private static final TopicName SHORT_LIVED = new TopicName("scratch");
    private static final int PARTITIONS = 2;
    static final Path DIRECTORY = Path.of("/data");

    private final Random random;
    private final SyncLevel level;
    private final int processes;
    private final Consumer<FaultyDisk> planted;
    private final MemoryDisk machine = new MemoryDisk();
    private final Ledger[] ledgers = {new Ledger(), new Ledger()};
    private final AtomicLong numbers = new AtomicLong();
    private final List<RecordingDisk> trace = Boolean.getBoolean("muster.trace") ? new ArrayList<>() : null;
    private boolean topicPromised;
    private boolean scratchGone;
    private int lost;
    private int cuts;
    private int cutsInRecovery;
    private final AtomicInteger kills = new AtomicInteger();

    /** The result of a run. */
    record Outcome(int acknowledged, int lost, int cuts, int cutsInRecovery, int kills) {
        static final Outcome NONE = new Outcome(0, 0, 0, 0, 0);

        Outcome plus(Outcome other) {
            return new Outcome(
                    acknowledged + other.acknowledged,
                    lost + other.lost,
                    cuts + other.cuts,
                    cutsInRecovery + other.cutsInRecovery,
                    kills + other.kills);
        }
    }

    PowerCutRun(long seed, SyncLevel level, int processes, Consumer<FaultyDisk> planted) {
        this.random = new Random(seed);
        this.level = level;
        this.processes = processes;
        this.planted = planted;
    }

    MemoryDisk machine() {
        return machine;
    }

    Outcome run() {
        int boots = 1 + random.nextInt(5);
        for (int boot = 0; boot < boots; boot++) {
            boolean early = random.nextInt(3) == 0;
            new Boot(1 + random.nextInt(early ? 10 : 200)).run();
        }
        lastBoot();
        int acknowledged = ledgers[0].acknowledgedCount() + ledgers[1].acknowledgedCount() + lost;
        return new Outcome(acknowledged, lost, cuts, cutsInRecovery, kills.get());
    }

    /** Runs one boot: until the power is cut at some call, or later if nothing is left to do. */
    private final class Boot {
        private final UUID id = new UUID(random.nextLong(), random.nextLong());
        private final Random cutRandom = new Random(random.nextLong());
        private final Tear tear = random.nextBoolean() ? Tear.BYTES : Tear.SECTORS;
        private final int callsUntilCut;
        private final AtomicInteger changes = new AtomicInteger();
        private final AtomicBoolean off = new AtomicBoolean();
        private final AtomicBoolean recovered = new AtomicBoolean();
        private final CompletableFuture<Void> prepared = new CompletableFuture<>();

        Boot(int callsUntilCut) {
            this.callsUntilCut = callsUntilCut;
        }

        void run() {
            // All are created before the first of them runs, because a process that starts after the cut belongs to the
            // next boot.
            List<SimulatedProcess> started =
                    Stream.generate(machine::process).limit(processes).toList();
            List<CompletableFuture<Void>> running = new ArrayList<>();
            for (SimulatedProcess process : started) {
                Random own = new Random(random.nextLong());
                boolean first = process == started.getFirst();
                running.add(CompletableFuture.runAsync(
                        () -> live(process, first, own),
                        task -> Thread.ofPlatform().daemon().start(task)));
                prepared.join();
            }
            running.forEach(CompletableFuture::join);
            cut();
            cuts++;
            if (!recovered.get()) {
                cutsInRecovery++;
            }
        }

        /** A process, and its successors when it is killed. */
        private void live(SimulatedProcess process, boolean first, Random own) {
            try {
                boolean alive = lives(process, store -> {
                    if (first) {
                        prepare(store);
                        recovered.set(true);
                        prepared.complete(null);
                    }
                    work(store, process, own);
                });
                for (SimulatedProcess next = process; !alive && !off.get(); ) {
                    next = next.restart();
                    SimulatedProcess restarted = next;
                    kills.incrementAndGet();
                    alive = lives(restarted, store -> {
                        checkAll(store);
                        work(store, restarted, own);
                    });
                }
            } catch (IOException e) {
                assertThat(off).as("why it was not started again: " + e).isTrue();
            } finally {
                prepared.complete(null);
            }
        }

        /**
         * Runs one process.
         *
         * @return true if the process ended by itself, and was not killed
         */
        private boolean lives(SimulatedProcess process, Consumer<LogStore> life) {
            try (LogStore store = Stores.open(disk(process), DIRECTORY, id)) {
                life.accept(store);
                return true;
            } catch (RuntimeException e) {
                if (process.isAlive()) {
                    throw e;
                }
                return false;
            }
        }

        private FaultyDisk disk(SimulatedProcess process) {
            FaultyDisk disk = new FaultyDisk(traced(process));
            planted.accept(disk);
            disk.before(call -> {
                if (call.kind().changes() && changes.incrementAndGet() == callsUntilCut) {
                    cut();
                }
            });
            return disk;
        }

        private void cut() {
            if (off.compareAndSet(false, true)) {
                machine.powerCut(cutRandom, tear);
            }
        }
    }

    /** Asserts that the death of a process loses nothing, at any level. */
    private void checkAll(LogStore store) {
        TopicId topic = store.find(TOPIC).orElseThrow().id();
        for (int partition = 0; partition < PARTITIONS; partition++) {
            ledgers[partition].check(store.log(topic, partition));
        }
    }

    /** Records every change of the disk if {@code -Dmuster.trace=true}, to debug a seed that fails. */
    private Disk traced(Disk disk) {
        if (trace == null) {
            return disk;
        }
        trace.add(new RecordingDisk(disk, DIRECTORY));
        return trace.getLast();
    }

    String trace() {
        StringBuilder all = new StringBuilder();
        if (trace != null) {
            trace.forEach(disk -> all.append("process\n").append(disk.transcript()));
        }
        return all.toString();
    }

    /** Checks the directory after the last cut, and creates the topic if there is none yet. */
    private void prepare(LogStore store) {
        Optional<Topic> topic = store.find(TOPIC);
        if (topicPromised) {
            assertThat(topic).as("a topic that was made is lost").isPresent();
        }
        if (scratchGone) {
            assertThat(store.find(SHORT_LIVED))
                    .as("a topic that was deleted is back")
                    .isEmpty();
        }
        if (topic.isEmpty()) {
            topic = Optional.of(store.create(TOPIC, PARTITIONS, settings()));
        }
        topicPromised = true;
        for (int partition = 0; partition < PARTITIONS; partition++) {
            compare(store.log(topic.get().id(), partition), ledgers[partition]);
        }
        if (random.nextBoolean()) {
            scratchGone = false;
            Topic scratch = store.find(SHORT_LIVED).orElseGet(() -> store.create(SHORT_LIVED, 1, settings()));
            store.log(scratch.id(), 0).append(NumberedRecords.batch(1, 3));
            store.delete(SHORT_LIVED);
            scratchGone = true;
        }
    }

    private TopicSettings settings() {
        return TopicSettings.DEFAULT
                .withSync(level)
                .with("retention.ms", "-1")
                .with("flush.ms", "2")
                .with("segment.bytes", random.nextBoolean() ? "2048" : "20000")
                .with("index.interval.bytes", "512");
    }

    private void compare(PartitionLog log, Ledger ledger) {
        if (level == SyncLevel.COMMIT) {
            ledger.check(log);
        } else {
            lost += ledger.checkPrefix(log);
        }
    }

    private void work(LogStore store, SimulatedProcess self, Random own) {
        Topic topic = store.find(TOPIC).orElseThrow();
        for (int step = own.nextInt(80); step > 0; step--) {
            int partition = own.nextInt(PARTITIONS);
            PartitionLog log = store.log(topic.id(), partition);
            Ledger ledger = ledgers[partition];
            if (own.nextInt(50) == 0) {
                self.killInNextAppend(own.nextInt(700));
            }
            switch (own.nextInt(10)) {
                case 0 -> append(log, ledger, 1 + own.nextInt(4), false);
                case 1 -> ((FilePartition) log).sync();
                case 2 -> ledger.seen(log.endOffset());
                case 3 -> ledger.trimNowAndThen(log, own);
                default -> append(log, ledger, 1 + own.nextInt(4), true);
            }
        }
    }

    private void append(PartitionLog log, Ledger ledger, int count, boolean acknowledged) {
        long first = numbers.getAndAdd(count);
        ledger.sending(first, count);
        long offset = log.append(NumberedRecords.batch(first, count));
        if (acknowledged) {
            log.awaitDurable(offset + count);
            ledger.acknowledged(offset, first, count);
        }
    }

    /**
     * Asserts, without another power cut, that all records are there, that the check finds no damage, and that the log
     * can be used.
     */
    private void lastBoot() {
        SimulatedProcess process = machine.process();
        UUID bootId = new UUID(1, random.nextLong());
        try (LogStore store = Stores.open(traced(process), DIRECTORY, bootId)) {
            prepare(store);
            PartitionLog log = store.log(store.find(TOPIC).orElseThrow().id(), 0);
            append(log, ledgers[0], 3, true);
            ledgers[0].check(log);
            assertThat(awaitEndAbove(log, log.endOffset() - 1, Duration.ofSeconds(1)))
                    .isTrue();
        }
        Stores.checkIsClean(machine, DIRECTORY, bootId);
    }
}
