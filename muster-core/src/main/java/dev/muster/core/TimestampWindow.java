package dev.muster.core;

import java.time.Instant;

/**
 * The timestamps that producers may give to records, relative to the clock of the process that appends them. The keys
 * and their meaning are Kafka's. The arithmetic never overflows. A time before 1970 is never allowed, except
 * {@link #NO_TIMESTAMP}, which means that the record has no timestamp.
 *
 * @param beforeMaxMs milliseconds that a timestamp may be in the past ({@code message.timestamp.before.max.ms})
 * @param afterMaxMs milliseconds that a timestamp may be in the future ({@code message.timestamp.after.max.ms})
 */
public record TimestampWindow(long beforeMaxMs, long afterMaxMs) {
    public static final String BEFORE_MAX = "message.timestamp.before.max.ms";
    public static final String AFTER_MAX = "message.timestamp.after.max.ms";

    /** The timestamp of a record that has none, as in Kafka. */
    public static final long NO_TIMESTAMP = -1;

    /** Kafka's defaults since version 4: any time in the past, and one hour in the future. */
    public static final TimestampWindow DEFAULT = new TimestampWindow(Long.MAX_VALUE, 3_600_000);

    public TimestampWindow {
        checkNotNegative(beforeMaxMs, BEFORE_MAX);
        checkNotNegative(afterMaxMs, AFTER_MAX);
    }

    private static void checkNotNegative(long millis, String key) {
        if (millis < 0) {
            throw new MusterException(key + " must be 0 or more, it is " + millis);
        }
    }

    /** The oldest timestamp that is allowed at this moment. */
    public long earliest(long nowMs) {
        return nowMs <= beforeMaxMs ? 0 : nowMs - beforeMaxMs;
    }

    /** The newest timestamp that is allowed at this moment. */
    public long latest(long nowMs) {
        return nowMs > Long.MAX_VALUE - afterMaxMs ? Long.MAX_VALUE : nowMs + afterMaxMs;
    }

    /** True if a record may have this timestamp at this moment. */
    public boolean allows(long timestamp, long nowMs) {
        return timestamp == NO_TIMESTAMP || timestamp >= earliest(nowMs) && timestamp <= latest(nowMs);
    }

    /** Milliseconds since 1970. For a time outside the range of {@code long}, the nearest {@code long}. */
    public static long millis(Instant time) {
        try {
            return time.toEpochMilli();
        } catch (ArithmeticException e) {
            return time.getEpochSecond() < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
        }
    }
}
