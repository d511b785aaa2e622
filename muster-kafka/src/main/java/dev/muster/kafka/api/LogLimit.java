package dev.muster.kafka.api;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * A limit on the log lines of one kind: the first few of each minute are logged, and the others are counted. The count
 * is logged as one line after the minute. A client that repeats a bad request for ever costs a few lines per minute.
 * Safe for many threads.
 */
public final class LogLimit {
    /** The default number of lines of one kind per minute. */
    public static final int LINES_PER_MINUTE = 5;

    private static final long MINUTE_NANOS = 60_000_000_000L;
    /**
     * The largest number of kinds that are counted separately; further kinds share one count. A kind may contain the
     * name of a group or client, and there can be any number of these.
     */
    private static final int KINDS_MAX = 1_000;

    private static final String OTHER_KINDS = "other messages";

    private final System.Logger log;
    private final int perMinute;
    private final LongSupplier nanoTime;
    private final Map<String, Minute> minutes = new LinkedHashMap<>();

    private static final class Minute {
        private final long startNanos;
        private System.Logger.Level level;
        private int logged;
        private long leftOut;

        private Minute(long startNanos) {
            this.startNanos = startNanos;
        }
    }

    public LogLimit(System.Logger log) {
        this(log, LINES_PER_MINUTE);
    }

    /** @param perMinute the number of lines of one kind that are logged per minute */
    public LogLimit(System.Logger log, int perMinute) {
        this(log, perMinute, System::nanoTime);
    }

    LogLimit(System.Logger log, int perMinute, LongSupplier nanoTime) {
        this.log = log;
        this.perMinute = perMinute;
        this.nanoTime = nanoTime;
    }

    /** Logs a message, or counts it if the lines of its kind for this minute are used up. */
    public void log(System.Logger.Level level, String kind, String message) {
        log(level, kind, message, null);
    }

    /**
     * Logs a message, or counts it if the lines of its kind for this minute are used up.
     *
     * @param kind the words that the line with the count begins with: "bad requests"
     * @param thrown the exception to log with the message; null if there is none
     */
    public void log(System.Logger.Level level, String kind, String message, Throwable thrown) {
        if (!log.isLoggable(level)) {
            return;
        }
        String summary;
        boolean admitted;
        synchronized (this) {
            long now = nanoTime.getAsLong();
            String counted = minutes.size() >= KINDS_MAX && !minutes.containsKey(kind) ? OTHER_KINDS : kind;
            Minute minute = minutes.get(counted);
            summary = minute == null || !isOver(minute, now) ? null : summary(counted, minute);
            if (minute == null || isOver(minute, now)) {
                minute = new Minute(now);
                minutes.put(counted, minute);
            }
            minute.level = level;
            admitted = minute.logged < perMinute;
            if (admitted) {
                minute.logged++;
            } else {
                minute.leftOut++;
            }
        }
        if (summary != null) {
            log.log(level, summary);
        }
        if (admitted) {
            log.log(level, message, thrown);
        }
    }

    /**
     * Logs the counts of minutes that are over. A thread must call this now and then, because {@link #log} does so only
     * for its own kind.
     */
    public void tick() {
        Map<String, System.Logger.Level> summaries = new LinkedHashMap<>();
        synchronized (this) {
            long now = nanoTime.getAsLong();
            for (Iterator<Map.Entry<String, Minute>> all = minutes.entrySet().iterator(); all.hasNext(); ) {
                Map.Entry<String, Minute> next = all.next();
                if (isOver(next.getValue(), now)) {
                    String summary = summary(next.getKey(), next.getValue());
                    if (summary != null) {
                        summaries.put(summary, next.getValue().level);
                    }
                    all.remove();
                }
            }
        }
        summaries.forEach((summary, level) -> log.log(level, summary));
    }

    private static boolean isOver(Minute minute, long now) {
        return now - minute.startNanos >= MINUTE_NANOS;
    }

    /** Null if nothing was left out. */
    private static String summary(String kind, Minute minute) {
        return minute.leftOut == 0
                ? null
                : String.format(Locale.ROOT, "%s: … and %,d more within a minute", kind, minute.leftOut);
    }
}
