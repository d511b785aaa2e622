package dev.muster.testkit.unpleasant;

import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

/**
 * The choices of an unpleasant store: how often it does what. All processes of a test share one. Safe for many threads.
 */
public final class Trouble {
    /** The choices of an unpleasant store that fails no call, for tests that repeat none. */
    public static Trouble withoutFailures(long seed) {
        return new Trouble(seed, 0, System::nanoTime, Runnable::run);
    }

    private final SplittableRandom chance;
    private final int failsOneIn;
    private final LongSupplier nanoTime;
    private final Executor appends;
    private volatile StoreMistake mistake;
    private boolean calm;
    private long failures;
    private long unknown;
    private long stale;
    private long takeovers;

    /**
     * @param failsOneIn the store fails one call in so many; 0 for none
     * @param nanoTime the clock of the test
     * @param appends the threads that give appends their places
     */
    public Trouble(long seed, int failsOneIn, LongSupplier nanoTime, Executor appends) {
        this.chance = new SplittableRandom(seed);
        this.failsOneIn = failsOneIn;
        this.nanoTime = nanoTime;
        this.appends = appends;
    }

    /** Begins or ends the trouble. Without it no call fails, and no read is stale. */
    public synchronized void calm(boolean now) {
        calm = now;
    }

    /** Makes the stores break a promise. */
    public Trouble withMistake(StoreMistake broken) {
        mistake = broken;
        return this;
    }

    boolean makes(StoreMistake asked) {
        return mistake == asked;
    }

    synchronized boolean oneIn(int count) {
        return chance.nextInt(count) == 0;
    }

    synchronized int below(int bound) {
        return chance.nextInt(bound);
    }

    /** True if a read of memory misses what other processes did. */
    synchronized boolean isStale() {
        boolean is = !calm && chance.nextInt(3) > 0;
        stale += is ? 1 : 0;
        return is;
    }

    /** True if this call fails. */
    synchronized boolean fails() {
        boolean fails = !calm && failsOneIn > 0 && chance.nextInt(failsOneIn) == 0;
        failures += fails ? 1 : 0;
        return fails;
    }

    synchronized void countUnknown() {
        unknown++;
    }

    synchronized void countTakeover() {
        takeovers++;
    }

    long nanoTime() {
        return nanoTime.getAsLong();
    }

    Executor appends() {
        return appends;
    }

    /** What happened so far. */
    public synchronized Counts counts() {
        return new Counts(failures, unknown, stale, takeovers);
    }

    /**
     * The number of troubles of each kind.
     *
     * @param failures failed calls
     * @param unknown appends whose outcome was reported as unknown
     * @param stale reads of memory that missed what other processes did
     * @param takeovers rights to append that were taken away
     */
    public record Counts(long failures, long unknown, long stale, long takeovers) {
        public static final Counts NONE = new Counts(0, 0, 0, 0);

        public Counts plus(Counts other) {
            return new Counts(
                    failures + other.failures,
                    unknown + other.unknown,
                    stale + other.stale,
                    takeovers + other.takeovers);
        }
    }
}
