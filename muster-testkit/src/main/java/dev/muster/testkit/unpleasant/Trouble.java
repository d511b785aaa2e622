package dev.muster.testkit.unpleasant;

import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

/** The choices of an unpleasant store: how often it does what. All processes of a test share one. Safe for many threads. */
public final class Trouble {
    /** The choices of an unpleasant store that fails no call, for tests that repeat none. */
    public static Trouble withoutFailures(long seed) {
        return new Trouble(seed, 0, System::nanoTime, Runnable::run);
    }

    private final SplittableRandom chance;
    private final int failsOneIn;
    private final LongSupplier nanoTime;
    private final Executor appends;
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

    /** From now on no call fails, and no read is stale. */
    public synchronized void end() {
        calm = true;
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

    /** What happened so far, as the end of a line for people. */
    public synchronized String summary() {
        return failures + " failed calls, " + unknown + " unknown outcomes, " + stale + " stale reads, " + takeovers
                + " rights taken away";
    }
}
