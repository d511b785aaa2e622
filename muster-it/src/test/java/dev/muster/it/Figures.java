package dev.muster.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collection;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Measured times. They are printed, and compared with their targets only if {@link #JUDGED} is true: on a machine
 * without other load.
 */
public final class Figures {
    /** True with {@code -Pfigures} or {@code -Dmuster.figures=true}: each figure must meet its target. */
    public static final boolean JUDGED = Boolean.getBoolean("muster.figures");

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

    public double maxMillis() {
        return millis(1);
    }

    /** The percentile of the times for this part. */
    private double millis(double part) {
        int rank = (int) Math.ceil(part * nanos.length);
        return nanos[Math.max(0, rank - 1)] / (double) TimeUnit.MILLISECONDS.toNanos(1);
    }

    /** Fails if figures are judged and this one is not below its target. */
    public static void assertBelow(String what, double measured, double target) {
        if (JUDGED) {
            assertThat(measured).as(what).isLessThan(target);
        }
    }

    /** Fails if figures are judged and this one is not above its target. */
    public static void assertAbove(String what, double measured, double target) {
        if (JUDGED) {
            assertThat(measured).as(what).isGreaterThan(target);
        }
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT, "p50 %.1f ms, p99 %.1f ms, max %.1f ms", p50Millis(), p99Millis(), maxMillis());
    }
}
