package dev.muster.it;

import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The length and the seed of a test. */
public final class Rounds {
    private Rounds() {}

    /** The number of rounds: {@code -Dmuster.rounds}, or the given default. */
    public static int count(int byDefault) {
        return Integer.getInteger("muster.rounds", byDefault);
    }

    /** Leaves a fault in place for a while. Not for waiting until something is true. */
    public static void letTimePass(long millis) {
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        for (long left = until - System.nanoTime(); left > 0; left = until - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    /** Waits for the end of a thread, three minutes at most. */
    public static void join(Thread thread) {
        try {
            if (!thread.join(Duration.ofMinutes(3))) {
                throw new AssertionError(thread + " does not end");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    public static Random random(String test) {
        long seed = Long.getLong("muster.seed", System.nanoTime());
        System.out.printf("%s: seed %d (repeat with -Dmuster.seed=%d)%n", test, seed, seed);
        return new Random(seed);
    }
}
