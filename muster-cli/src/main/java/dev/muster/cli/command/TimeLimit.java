package dev.muster.cli.command;

import java.time.Duration;

/**
 * The limit of {@code --timeout}, counted from its creation. It keeps the user's spelling for messages. Safe for many
 * threads.
 */
public final class TimeLimit {
    private static final long NO_LIMIT_NANOS = Duration.ofDays(365).toNanos();

    private final String given;
    private final long deadlineNanos;

    private TimeLimit(String given, Duration limit) {
        this.given = given;
        this.deadlineNanos = System.nanoTime() + nanos(limit);
    }

    /**
     * A limit that begins now.
     *
     * @param given the user's text, or null for no limit
     * @param limit the duration of the text, or null for no limit
     */
    public static TimeLimit of(String given, Duration limit) {
        return new TimeLimit(given, limit);
    }

    /** No limit. */
    public static TimeLimit none() {
        return new TimeLimit(null, null);
    }

    private static long nanos(Duration limit) {
        boolean longest = limit == null || limit.compareTo(Duration.ofNanos(NO_LIMIT_NANOS)) > 0;
        return longest ? NO_LIMIT_NANOS : limit.toNanos();
    }

    /** Nanoseconds until the limit; zero or less after it. */
    public long leftNanos() {
        return deadlineNanos - System.nanoTime();
    }

    public boolean isPassed() {
        return leftNanos() <= 0;
    }

    /**
     * The error of a command that reached its limit.
     *
     * @param what the event that did not happen: "no more records"
     */
    public CommandException passed(String what, String hint) {
        return new CommandException(ExitCode.TIMED_OUT, what + " within " + given, hint);
    }
}
