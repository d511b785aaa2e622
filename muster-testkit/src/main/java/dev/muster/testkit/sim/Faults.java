package dev.muster.testkit.sim;

import java.util.EnumMap;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Which faults strike, how often, in one simulation; and how often each did. Rates are drawn by whoever makes this:
 * many of them zero, so that each seed has a character of its own.
 */
public final class Faults {
    private final Map<SimFault, Integer> weights = new EnumMap<>(SimFault.class);
    private final Map<SimFault, Integer> fired = new EnumMap<>(SimFault.class);
    private final SplittableRandom chance;
    private final long callsBetween;
    private long callsLeft;
    private int total;
    private boolean on;

    /** @param callsBetween how many disk calls pass between two faults, about */
    public Faults(SplittableRandom chance, long callsBetween) {
        this.chance = chance;
        this.callsBetween = callsBetween;
        this.callsLeft = draw();
    }

    public Faults with(SimFault fault, int weight) {
        total += weight - weights.getOrDefault(fault, 0);
        weights.put(fault, weight);
        return this;
    }

    public void on(boolean yes) {
        on = yes;
    }

    public Map<SimFault, Integer> fired() {
        return fired;
    }

    void count(SimFault fault) {
        fired.merge(fault, 1, Integer::sum);
    }

    private long draw() {
        return 1 + (long) (-Math.log(1 - chance.nextDouble()) * callsBetween);
    }

    /** @return the fault that strikes at this call, or null */
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
        throw new IllegalStateException("weights changed");
    }
}
