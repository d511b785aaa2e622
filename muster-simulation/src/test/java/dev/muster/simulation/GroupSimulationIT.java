package dev.muster.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testkit.sim.SimFault;
import dev.muster.testkit.unpleasant.Trouble;
import java.io.IOException;
import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: a group keeps its promises under every schedule and every fault of disks, clocks and processes. A partition has
 * one owner, only the owner commits, no acknowledged record is lost, no record is skipped, and the group recovers soon
 * after the last fault. Method: runs of groups on simulated machines, each from a seed, with the real rules, files and
 * engine. In every second run one process is a server, and wire clients are in the group. Their network loses and
 * delays messages and breaks connections. They use the new protocol, the classic one, or both ({@link Cast}). To debug
 * a failure run the printed seed alone ({@code -Dmuster.seed=}); {@code -Dmuster.seeds=} sets how many are run,
 * {@code -Dmuster.seeds.first=} where to begin, {@code -Dmuster.traces=} a file for the hashes of all traces.
 */
class GroupSimulationIT {
    private static final long SEEDS = Long.getLong("muster.seeds", Boolean.getBoolean("muster.soak") ? 100_000 : 500);
    private static final long FIRST = Long.getLong("muster.seeds.first", 1);
    private static final long UNPLEASANT_SEEDS = Long.getLong("muster.seeds.unpleasant", 150);
    private static final long TWICE = 40;
    private static final Logger MUSTER = Logger.getLogger("dev.muster");

    @BeforeAll
    static void quiet() {
        // The store and the engine warn of the planted faults thousands of times.
        MUSTER.setLevel(Level.OFF);
    }

    @AfterAll
    static void loud() {
        MUSTER.setLevel(null);
    }

    @Test
    @Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void theSameSeedGivesTheSameTraceInAnotherJvm() throws IOException {
        try (AnotherJvm other = AnotherJvm.start(1, TWICE)) {
            Map<Long, Long> here = new TreeMap<>();
            Seeds.all(1, TWICE, seed -> {
                GroupRun run = new GroupRun(seed, Planted.NOTHING);
                run.run();
                here.put(seed, run.simulation().hash());
            });
            assertThat(other.hashes()).as("traces by seed").isEqualTo(here);
        }
    }

    /**
     * In this seed a commit at 1 arrives after the commit at 4 of the same member, and nothing is produced afterwards.
     */
    @Test
    void aLateCommitIsNoViolation() {
        Seeds.all(5306, 5306, seed -> new GroupRun(seed, Planted.NOTHING).run());
    }

    /**
     * The same on a store with stale reads, failing calls, unknown outcomes, one writer per partition and short lines.
     */
    @Test
    void groupsKeepTheirPromisesOnAnUnpleasantStore() {
        Long only = Long.getLong("muster.seed");
        long first = only == null ? FIRST : only;
        long last = only == null ? FIRST + UNPLEASANT_SEEDS - 1 : only;
        AtomicLong commits = new AtomicLong();
        AtomicReference<Trouble.Counts> troubles = new AtomicReference<>(Trouble.Counts.NONE);
        Seeds.all(first, last, seed -> {
            GroupRun run = new GroupRun(seed, Planted.NOTHING, true);
            try {
                run.run();
            } catch (RuntimeException | Error e) {
                System.out.print(run.simulation().trace());
                throw e;
            }
            commits.addAndGet(run.referee().commits());
            troubles.accumulateAndGet(run.troubles().orElseThrow().counts(), Trouble.Counts::plus);
        });
        System.out.printf(
                "group simulation on an unpleasant store: seeds=%d acknowledged commits=%d %s%n",
                last - first + 1, commits.get(), troubles.get());
        assertThat(commits.get()).isPositive();
    }

    @Test
    void groupsKeepTheirPromises() {
        Long only = Long.getLong("muster.seed");
        Map<SimFault, Integer> faults = new EnumMap<>(SimFault.class);
        Map<String, Integer> happened = new TreeMap<>();
        AtomicLong steps = new AtomicLong();
        AtomicLong simulated = new AtomicLong();
        AtomicLong commits = new AtomicLong();
        AtomicLong duplicates = new AtomicLong();
        AtomicLong snapshots = new AtomicLong();
        AtomicLong longestStall = new AtomicLong();
        Map<Cast, Integer> casts = new EnumMap<>(Cast.class);
        Map<Cast, Long> conversions = new EnumMap<>(Cast.class);
        long start = System.nanoTime();
        long first = only == null ? FIRST : only;
        long last = only == null ? FIRST + SEEDS - 1 : only;
        TraceFile traces = TraceFile.asked();
        Seeds.all(first, last, seed -> {
            GroupRun run = new GroupRun(seed, Planted.NOTHING);
            try {
                run.run();
            } catch (RuntimeException | Error e) {
                System.out.print(run.simulation().trace());
                throw e;
            }
            traces.keep(seed, run.simulation().hash());
            steps.addAndGet(run.simulation().calls());
            simulated.addAndGet(run.simulation().now());
            commits.addAndGet(run.referee().commits());
            duplicates.addAndGet(run.referee().duplicates());
            snapshots.addAndGet(run.referee().snapshots());
            longestStall.accumulateAndGet(run.referee().longestStall(), Math::max);
            synchronized (faults) {
                casts.merge(run.cast(), 1, Integer::sum);
                conversions.merge(run.cast(), run.referee().conversions(), Long::sum);
                run.simulation().faults().fired().forEach((fault, count) -> faults.merge(fault, count, Integer::sum));
                run.happened().forEach((what, count) -> happened.merge(what, count, Integer::sum));
            }
        });
        traces.write();
        double seconds = (System.nanoTime() - start) / 1e9;
        System.out.printf(
                "group simulation: seeds=%d seconds=%.1f seeds/s=%.1f disk calls=%d simulated hours=%.1f acknowledged"
                        + " commits=%d processed again=%d snapshots=%d longest wait for a stopped process=%d"
                        + " ms%n  casts %s, changes of rules %s%n  faults %s%n  %s%n",
                last - first + 1,
                seconds,
                (last - first + 1) / seconds,
                steps.get(),
                simulated.get() / 3.6e12,
                commits.get(),
                duplicates.get(),
                snapshots.get(),
                longestStall.get() / 1_000_000,
                casts,
                conversions,
                faults,
                happened);
        if (only == null) {
            assertThat(faults).as("each fault strikes").containsOnlyKeys(SimFault.values());
            assertThat(happened.keySet()).as("each thing happens").containsAll(GroupRun.ALL_THAT_HAPPENS);
            assertThat(happened.keySet()).as("each thing happens").containsAll(WireSide.ALL_THAT_HAPPENS);
            assertThat(conversions.get(Cast.TURNING))
                    .as("changes of rules, in %d lives", casts.get(Cast.TURNING))
                    .isGreaterThan(casts.get(Cast.TURNING));
            assertThat(commits.get()).isPositive();
            assertThat(snapshots.get()).as("snapshots").isPositive();
            assertThat(duplicates.get())
                    .as("records processed again, or nobody died at work")
                    .isPositive();
        }
    }
}
