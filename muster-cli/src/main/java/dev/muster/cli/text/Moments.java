package dev.muster.cli.text;

import dev.muster.core.MusterException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;

/**
 * Moments in the user's spelling: {@code now}, {@code @1700000000000} (milliseconds since 1970), {@code -5h} (that long
 * ago), {@code 2026-01-31}, {@code 2026-01-31T12:00}, {@code 2026-01-31T12:00:00Z}. Without a zone, the local zone is
 * meant.
 */
public final class Moments {
    private static final String HINT =
            "write now, -5h, @1700000000000, 2026-01-31, 2026-01-31T12:00:00 or 2026-01-31T12:00:00Z";

    private Moments() {}

    public static Instant parse(String text, Instant now, ZoneId zone) {
        try {
            if (text.equals("now")) {
                return now;
            }
            if (text.startsWith("@")) {
                return Instant.ofEpochMilli(Long.parseLong(text.substring(1)));
            }
            if (text.startsWith("-")) {
                return now.minus(DurationParser.parse(text.substring(1)));
            }
            return iso(text, zone);
        } catch (DateTimeException | NumberFormatException | ArithmeticException e) {
            throw new MusterException("\"" + text + "\" is not a time", HINT, e);
        }
    }

    private static final DateTimeFormatter SHOWN = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSS");
    private static final DateTimeFormatter SHOWN_TIME = DateTimeFormatter.ofPattern("HH:mm:ss.SSS");

    /** Date and time in the local zone: {@code 2026-01-31 12:00:00.123}. */
    public static String show(long millis, ZoneId zone) {
        return SHOWN.format(Instant.ofEpochMilli(millis).atZone(zone));
    }

    /** The time of day only. */
    public static String showTime(long millis, ZoneId zone) {
        return SHOWN_TIME.format(Instant.ofEpochMilli(millis).atZone(zone));
    }

    private static Instant iso(String text, ZoneId zone) {
        int time = text.indexOf('T');
        if (time < 0) {
            return LocalDate.parse(text).atStartOfDay(zone).toInstant();
        }
        boolean zoned = text.endsWith("Z") || text.indexOf('+', time) > 0 || text.indexOf('-', time) > 0;
        return zoned
                ? OffsetDateTime.parse(text).toInstant()
                : LocalDateTime.parse(text).atZone(zone).toInstant();
    }
}
