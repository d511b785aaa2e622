package dev.muster.it;

import java.util.Random;

/** How long and with which luck a test runs. */
final class Rounds {
    private Rounds() {}

    /** The number of rounds: as told by {@code -Dmuster.rounds}, else the given one. */
    static int count(int byDefault) {
        return Integer.getInteger("muster.rounds", byDefault);
    }

    static Random random(String test) {
        long seed = Long.getLong("muster.seed", System.nanoTime());
        System.out.printf("%s: seed %d (repeat with -Dmuster.seed=%d)%n", test, seed, seed);
        return new Random(seed);
    }
}
