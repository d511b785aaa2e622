package dev.muster.store.file.trouble;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.core.SyncLevel;
import dev.muster.store.file.trouble.PowerCutRun.Outcome;
import dev.muster.testkit.ExpectedTrouble;
import dev.muster.testkit.disk.DiskCall.Kind;
import dev.muster.testkit.disk.FaultyDisk;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: records acknowledged at {@code sync=commit} survive power loss, and at the other levels the surviving records
 * are a prefix. Method: many machines that lose power at random disk calls. To debug a failure, run the printed seed
 * alone ({@code -Dmuster.seed=}); {@code -Dmuster.seeds=} sets the number of seeds.
 */
@ExtendWith(ExpectedTrouble.class)
abstract class PowerCuts {
    private static final Consumer<FaultyDisk> NOTHING_PLANTED = _ -> {};

    private final int seeds;

    PowerCuts(int seeds) {
        this.seeds = seeds;
    }

    @ParameterizedTest(name = "{0} processes")
    @ValueSource(ints = {1, 2})
    void nothingAcknowledgedAtCommitIsLost(int processes) {
        Outcome total = runAll(SyncLevel.COMMIT, processes, NOTHING_PLANTED);
        assertThat(total.lost()).isZero();
        assertThat(total.acknowledged()).isGreaterThan(seeds);
        assertThat(total.cutsInRecovery())
                .as("cuts in recovery, or this test is blind there")
                .isPositive();
    }

    @ParameterizedTest(name = "{0} processes")
    @ValueSource(ints = {1, 2})
    void survivingRecordsAtOsAreAPrefix(int processes) {
        Outcome total = runAll(SyncLevel.OS, processes, NOTHING_PLANTED);
        assertThat(total.lost()).as("lost at os, or this test is blind").isPositive();
    }

    @Test
    void survivingRecordsAtIntervalAreAPrefix() {
        Outcome total = runAll(SyncLevel.INTERVAL, 1, NOTHING_PLANTED);
        assertThat(total.acknowledged()).isGreaterThan(seeds);
    }

    @Test
    void diskThatLiesAboutSyncsIsDetected() {
        assertThatThrownBy(() -> runAll(
                        SyncLevel.COMMIT, 1, disk -> disk.ignore(call -> call.is(Kind.SYNC) && call.isOn(".log"))))
                .isInstanceOf(AssertionError.class);
    }

    @Test
    void diskThatLiesAboutFolderSyncsIsDetected() {
        assertThatThrownBy(() -> runAll(SyncLevel.COMMIT, 1, disk -> disk.ignore(call -> call.is(Kind.SYNC_FOLDER))))
                .isInstanceOf(AssertionError.class);
    }

    private Outcome runAll(SyncLevel level, int processes, Consumer<FaultyDisk> planted) {
        Long only = Long.getLong("muster.seed");
        Outcome total = Outcome.NONE;
        for (long seed = only == null ? 1 : only; seed <= (only == null ? seeds : only); seed++) {
            PowerCutRun run = new PowerCutRun(seed, level, processes, planted);
            try {
                total = total.plus(run.run());
            } catch (RuntimeException | AssertionError e) {
                System.out.print(run.trace());
                throw new AssertionError("seed " + seed + " at sync=" + level + ", processes " + processes, e);
            }
        }
        System.out.printf(
                "power cuts: sync=%s processes=%d seeds=%d cuts=%d in recovery=%d kills=%d acknowledged=%d lost=%d%n",
                level,
                processes,
                seeds,
                total.cuts(),
                total.cutsInRecovery(),
                total.kills(),
                total.acknowledged(),
                total.lost());
        return total;
    }
}
