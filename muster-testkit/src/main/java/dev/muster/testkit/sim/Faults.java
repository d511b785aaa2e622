package dev.muster.testkit.sim;

import java.util.EnumMap;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * The faults of one simulation: how often each kind shall happen, and how often it has happened. The simulation draws
 * the rates from its seed. Many rates are zero, so that seeds differ in character.
 */
public final class Faults {
    private final Map<SimFault, Integer> weights = new EnumMap<>(SimFault.class);
    private final Map<SimFault, Integer> fired = new EnumMap<>(SimFault.class);
    private final SplittableRandom chance;
    private final long callsBetween;
    private long callsLeft;
    private int total;
    private boolean on;

    /** @param callsBetween mean number of disk calls between two faults */
    public Faults(SplittableRandom chance, long callsBetween) {
        this.chance = chance;
        this.callsBetween = callsBetween;
        this.callsLeft = draw();
    }

    /** Sets the relative frequency of a fault. */
    public Faults with(SimFault fault, int weight) {
        total += weight - weights.getOrDefault(fault, 0);
        weights.put(fault, weight);
        return this;
    }

    /** Turns all faults on or off. */
    public void on(boolean yes) {
        on = yes;
    }

    /** The number of times that each fault has happened. */
    public Map<SimFault, Integer> fired() {
        return fired;
    }

    void count(SimFault fault) {
        fired.merge(fault, 1, Integer::sum);
    }

    private long draw() {
        return 1 + (long) (-Math.log(1 - chance.nextDouble()) * callsBetween);
    }

    /** @return fault that happens at this call; null if there is none */
    SimFault next(int calls) {
        if (!on || total == 0) {
            return null;
        }
        callsLeft -= calls;
        if (callsLeft > 0) {
            return null;
        }
        callsLeft = draw();
        int at = chance.nextInt(total);
        for (Map.Entry<SimFault, Integer> entry : weights.entrySet()) {
            at -= entry.getValue();
            if (at < 0) {
                return entry.getKey();
            }
        }
        throw new IllegalStateException("the sum of weights is wrong: " + total);
    }
}
