package dev.muster.it;

import java.util.Collection;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** Times that were measured, to be printed and judged. Whoever judges on a busy machine is generous. */
public final class Figures {
    /** Whether the targets themselves are to be met: on a machine that does nothing else. */
    public static final boolean STRICT = Boolean.getBoolean("muster.strict");

    private final long[] nanos;

    private Figures(long[] nanos) {
        this.nanos = nanos;
    }

    public static Figures of(Collection<Long> nanos) {
        return new Figures(nanos.stream().mapToLong(Long::longValue).sorted().toArray());
    }

    public int count() {
        return nanos.length;
    }

    public double p50Millis() {
        return millis(0.5);
    }

    public double p99Millis() {
        return millis(0.99);
    }

    /**
     * What a target for the p99 is compared with. Of few times the p99 is the longest one, which a single stall of the
     * machine decides: where something else may be going on the median is looked at.
     */
    public double judgedMillis() {
        return STRICT ? p99Millis() : p50Millis();
    }

    public double maxMillis() {
        return millis(1);
    }

    /** The smallest time that at least this part of all did not exceed. */
    private double millis(double part) {
        int rank = (int) Math.ceil(part * nanos.length);
        return nanos[Math.max(0, rank - 1)] / (double) TimeUnit.MILLISECONDS.toNanos(1);
    }

    /** The target, or ten times as much where it is not known what else the machine has to do. */
    public static double limit(double target) {
        return STRICT ? target : 10 * target;
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT, "p50 %.1f ms, p99 %.1f ms, max %.1f ms", p50Millis(), p99Millis(), maxMillis());
    }
}
