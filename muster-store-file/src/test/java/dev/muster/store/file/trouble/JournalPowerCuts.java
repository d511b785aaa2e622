package dev.muster.store.file.trouble;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.core.group.model.GroupName;
import dev.muster.store.LogStore;
import dev.muster.store.file.FileStore;
import dev.muster.store.file.Stores;
import dev.muster.store.group.GroupJournal;
import dev.muster.testkit.ExpectedTrouble;
import dev.muster.testkit.disk.DiskCall.Kind;
import dev.muster.testkit.disk.FaultyDisk;
import dev.muster.testkit.disk.MemoryDisk;
import dev.muster.testkit.disk.SimulatedProcess;
import dev.muster.testkit.disk.Tear;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: a line whose {@code awaitDurable} returned survives power loss, and the surviving lines are a prefix. Method:
 * machines that lose power at random disk calls while processes append to one journal and are killed. To debug a
 * failure, run the printed seed alone ({@code -Dmuster.seed=}).
 */
@ExtendWith(ExpectedTrouble.class)
abstract class JournalPowerCuts {
    private static final Path DIRECTORY = Path.of("/data");
    private static final GroupName GROUP = new GroupName("workers");

    private final int seeds;

    JournalPowerCuts(int seeds) {
        this.seeds = seeds;
    }

    @ParameterizedTest(name = "{0} processes")
    @ValueSource(ints = {1, 3})
    void awaitedLinesSurviveAndTheRestIsAPrefix(int processes) {
        int accepted = 0;
        int durable = 0;
        int lost = 0;
        int refused = 0;
        int kills = 0;
        Long only = Long.getLong("muster.seed");
        for (long seed = only == null ? 1 : only; seed <= (only == null ? seeds : only); seed++) {
            Run run = new Run(seed, processes, _ -> {});
            run.checked();
            accepted += run.ledger.accepted();
            durable += run.ledger.durableLines();
            lost += run.ledger.lost();
            refused += run.ledger.refused();
            kills += run.kills.get();
        }
        System.out.printf(
                "journal power cuts: processes=%d seeds=%d accepted=%d awaited=%d lost=%d refused=%d kills=%d%n",
                processes, seeds, accepted, durable, lost, refused, kills);
        if (only == null) {
            assertThat(durable).as("waits for durability").isGreaterThan(seeds);
            assertThat(lost)
                    .as("lines lost that nobody waited for, or this test is blind")
                    .isPositive();
            assertThat(kills > 0).as("processes were killed in mid-write").isEqualTo(processes > 1);
            assertThat(refused).as("appends that came too late").isPositive();
        }
    }

    @Test
    void diskThatLiesAboutSyncsIsDetected() {
        assertCaught(disk -> disk.ignore(call -> call.is(Kind.SYNC) && call.isOn(".log")));
    }

    @Test
    void diskThatLiesAboutNamesOfGroupsIsDetected() {
        assertCaught(disk -> disk.ignore(call -> call.is(Kind.SYNC_FOLDER) && call.isOn("consumer-groups")));
    }

    private void assertCaught(Consumer<FaultyDisk> planted) {
        assertThatThrownBy(() -> {
                    for (long seed = 1; seed <= seeds; seed++) {
                        new Run(seed, 1, planted).checked();
                    }
                })
                .isInstanceOf(AssertionError.class);
    }

    /** One machine and its boots. */
    private static final class Run {
        private final long seed;
        private final Random random;
        private final int processes;
        private final Consumer<FaultyDisk> planted;
        private final MemoryDisk machine = new MemoryDisk();
        private final JournalLedger ledger = new JournalLedger();
        private final AtomicInteger kills = new AtomicInteger();

        Run(long seed, int processes, Consumer<FaultyDisk> planted) {
            this.seed = seed;
            this.random = new Random(seed);
            this.processes = processes;
            this.planted = planted;
        }

        void checked() {
            try {
                for (int boots = 1 + random.nextInt(4); boots > 0; boots--) {
                    boot(1 + random.nextInt(random.nextInt(3) == 0 ? 20 : 250));
                }
                boot(Integer.MAX_VALUE);
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("seed " + seed + ", processes " + processes, e);
            }
        }

        private void boot(int callsUntilCut) {
            UUID bootId = new UUID(random.nextLong(), random.nextLong());
            Random cutRandom = new Random(random.nextLong());
            Tear tear = random.nextBoolean() ? Tear.BYTES : Tear.SECTORS;
            AtomicBoolean off = new AtomicBoolean();
            AtomicInteger changes = new AtomicInteger();
            Runnable cut = () -> {
                if (off.compareAndSet(false, true)) {
                    machine.powerCut(cutRandom, tear);
                }
            };
            // All are created before the first of them runs, because a process that starts after the cut belongs to the
            // next boot.
            List<SimulatedProcess> started =
                    Stream.generate(machine::process).limit(processes).toList();
            CompletableFuture<Void> compared = new CompletableFuture<>();
            List<CompletableFuture<Void>> running = new ArrayList<>();
            for (SimulatedProcess process : started) {
                Random own = new Random(random.nextLong());
                FaultyDisk disk = new FaultyDisk(process);
                planted.accept(disk);
                disk.before(call -> {
                    if (call.kind().changes() && changes.incrementAndGet() == callsUntilCut) {
                        cut.run();
                    }
                });
                running.add(CompletableFuture.runAsync(
                        () -> live(process, disk, bootId, own, compared, off),
                        task -> Thread.ofPlatform().daemon().start(task)));
                compared.join();
            }
            running.forEach(CompletableFuture::join);
            if (callsUntilCut == Integer.MAX_VALUE) {
                Stores.checkIsClean(machine, DIRECTORY, bootId);
            }
            cut.run();
        }

        private void live(
                SimulatedProcess process,
                FaultyDisk disk,
                UUID bootId,
                Random own,
                CompletableFuture<Void> compared,
                AtomicBoolean off) {
            try (LogStore store = FileStore.open(
                    DIRECTORY,
                    Stores.options(disk, bootId).withJournalSegmentBytes(own.nextBoolean() ? 2048 : 20_000))) {
                GroupJournal journal = store.groups().open(GROUP);
                if (!compared.isDone()) {
                    ledger.checkAfterCut(journal);
                    compared.complete(null);
                }
                work(process, journal, own);
            } catch (RuntimeException e) {
                if (process.isAlive()) {
                    throw e;
                }
                if (!off.get()) {
                    kills.incrementAndGet();
                }
            } finally {
                compared.complete(null);
            }
        }

        private void work(SimulatedProcess self, GroupJournal journal, Random own) {
            for (int step = own.nextInt(80); step > 0; step--) {
                long end = journal.endVersion();
                if (processes > 1 && own.nextInt(100) == 0) {
                    self.killInNextAppend(own.nextInt(700));
                }
                switch (own.nextInt(12)) {
                    case 0 -> ledger.awaitDurable(journal, end);
                    case 1 -> {
                        if (end > 0) {
                            assertThat(ledger.append(journal, own.nextLong(end)))
                                    .as("an old version was taken")
                                    .isFalse();
                        }
                    }
                    case 2 -> trimSometimes(journal, own);
                    case 3 -> ledger.check(journal);
                    default -> ledger.append(journal, end);
                }
            }
        }

        private void trimSometimes(GroupJournal journal, Random own) {
            long start = journal.startVersion();
            long end = journal.endVersion();
            if (own.nextInt(4) == 0 && end > start) {
                ledger.trim(journal, start + own.nextLong(end - start));
            }
        }
    }
}
