package dev.muster.simulation;

import java.util.function.LongConsumer;

/**
 * Runs many seeds, one after the other: two simulations at once in one JVM could wait for each other in its class
 * loader, which no seed controls.
 */
final class Seeds {
    private Seeds() {}

    /** @param run the run of a seed; if it throws, the seed is printed and no other seed runs */
    static void all(long first, long last, LongConsumer run) {
        for (long seed = first; seed <= last; seed++) {
            try {
                run.accept(seed);
            } catch (RuntimeException | Error e) {
                throw new AssertionError(
                        "seed " + seed + " fails; to replay it: mvn verify -pl muster-simulation -am -Dtest=none"
                                + " -Dit.test=GroupSimulationIT -Dmuster.seed=" + seed + "; " + e.getMessage(),
                        e);
            }
        }
    }
}
