package dev.muster.core;

import java.time.Instant;

/**
 * The times that producers may give to records, relative to the clock of the process that takes them. The keys and
 * their meaning are Kafka's. No time overflows the arithmetic. A time before 1970 is never allowed, except that
 * {@link #NO_TIMESTAMP} stands for a record without a time.
 *
 * @param beforeMaxMs milliseconds that a record's time may be in the past ({@code message.timestamp.before.max.ms})
 * @param afterMaxMs milliseconds that a record's time may be in the future ({@code message.timestamp.after.max.ms})
 */
public record TimestampWindow(long beforeMaxMs, long afterMaxMs) {
    public static final String BEFORE_MAX = "message.timestamp.before.max.ms";
    public static final String AFTER_MAX = "message.timestamp.after.max.ms";

    /** The time of a record that has none, as in Kafka. */
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

    /** The oldest time that is allowed at this moment. */
    public long earliest(long nowMs) {
        return nowMs <= beforeMaxMs ? 0 : nowMs - beforeMaxMs;
    }

    /** The newest time that is allowed at this moment. */
    public long latest(long nowMs) {
        return nowMs > Long.MAX_VALUE - afterMaxMs ? Long.MAX_VALUE : nowMs + afterMaxMs;
    }

    /** True if a record may have this time at this moment. */
    public boolean allows(long timestamp, long nowMs) {
        return timestamp == NO_TIMESTAMP || timestamp >= earliest(nowMs) && timestamp <= latest(nowMs);
    }

    /** Milliseconds since 1970; the nearest {@code long} for a time that is too far away. */
    public static long millis(Instant time) {
        try {
            return time.toEpochMilli();
        } catch (ArithmeticException e) {
            return time.getEpochSecond() < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
        }
    }
}
