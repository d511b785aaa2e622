package dev.muster.engine.group;

import java.time.Duration;

/** Points on a {@code nanoTime}, which may be negative and wrap: they are compared by their difference only. */
final class Deadline {
    private static final Duration LONGEST = Duration.ofDays(365);

    private Deadline() {}

    static long earlier(long one, long other) {
        return one - other <= 0 ? one : other;
    }

    static boolean reached(long deadline, long now) {
        return now - deadline >= 0;
    }

    /** As nanoseconds that can be added to a clock reading: at most a year. */
    static long nanos(Duration time) {
        return time.compareTo(LONGEST) < 0 ? time.toNanos() : LONGEST.toNanos();
    }
}
