package dev.muster.engine.runtime;

import java.time.Duration;

/** Points on a {@code nanoTime}, which may be negative and wrap: they are compared by their difference only. */
public final class Deadline {
    private static final Duration LONGEST = Duration.ofDays(365);

    private Deadline() {}

    public static long earlier(long one, long other) {
        return one - other <= 0 ? one : other;
    }

    public static boolean reached(long deadline, long now) {
        return now - deadline >= 0;
    }

    /**
     * A point in time for others, moved because we were away: by that time, and by as much again, because they may have
     * been away with us, and need not come back in the same moment. Never beyond where it would be had it begun now, so
     * that being away now and then puts nothing off for ever.
     */
    public static long excused(long point, long away, long begunNow) {
        return earlier(point + 2 * away, begunNow);
    }

    /** As nanoseconds that can be added to a clock reading: at most a year. */
    public static long nanos(Duration time) {
        return time.compareTo(LONGEST) < 0 ? time.toNanos() : LONGEST.toNanos();
    }
}
