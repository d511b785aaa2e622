package dev.muster.engine.runtime;

import java.time.Duration;

/** Deadlines as {@code nanoTime} values. These may be negative and wrap, so they are compared by their difference. */
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
     * Postpones the deadline of other processes after a pause of this process. It moves by the length of the pause, and
     * by as much again: the others may have paused with this process and need not resume at the same moment. The result
     * is never later than a deadline that begins now, so repeated pauses do not postpone it for ever.
     */
    public static long excused(long point, long away, long begunNow) {
        return earlier(point + 2 * away, begunNow);
    }

    /** The duration in nanoseconds, at most a year, so that it can be added to a clock reading. */
    public static long nanos(Duration time) {
        return time.compareTo(LONGEST) < 0 ? time.toNanos() : LONGEST.toNanos();
    }
}
