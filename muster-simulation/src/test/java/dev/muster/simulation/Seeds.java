package dev.muster.simulation;

import java.util.function.LongConsumer;

/**
 * Runs many seeds, one after the other: two simulations at once in one JVM could wait for each other in its class
 * loader, at a time that no seed decides.
 */
final class Seeds {
    private Seeds() {}

    /** @param run throws when the seed fails; then it is told, and no other is run */
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
