package dev.muster.cli.text;

import dev.muster.core.MusterException;
import java.time.Duration;
import java.time.format.DateTimeParseException;

/**
 * Durations in the user's spelling: {@code 250ms 30s 5m 2h 7d 1w}, sums of these ({@code 1h30m}), or ISO
 * ({@code PT5H}).
 */
public final class DurationParser {
    private static final String HINT = "write 250ms, 30s, 5m, 2h, 7d or 1h30m";

    private DurationParser() {}

    public static Duration parse(String text) {
        if (text.startsWith("P") || text.startsWith("p")) {
            return iso(text);
        }
        try {
            return sum(text);
        } catch (ArithmeticException e) {
            throw new MusterException("the duration \"" + text + "\" is too long", HINT, e);
        }
    }

    private static Duration iso(String text) {
        try {
            return Duration.parse(text);
        } catch (DateTimeParseException e) {
            throw new MusterException("\"" + text + "\" is not a duration", HINT, e);
        }
    }

    private static Duration sum(String text) {
        Duration sum = Duration.ZERO;
        int at = 0;
        do {
            int unitAt = skipDigits(text, at);
            int end = skipLetters(text, unitAt);
            if (unitAt == at || end == unitAt || unitAt - at > 18) {
                throw new MusterException("\"" + text + "\" is not a duration", HINT);
            }
            long unitMs = unitMs(text.substring(unitAt, end));
            if (unitMs == 0) {
                throw new MusterException("\"" + text + "\" is not a duration: unknown unit", HINT);
            }
            long count = Long.parseLong(text.substring(at, unitAt));
            sum = sum.plusMillis(Math.multiplyExact(count, unitMs));
            at = end;
        } while (at < text.length());
        return sum;
    }

    private static int skipDigits(String text, int from) {
        int at = from;
        while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
            at++;
        }
        return at;
    }

    private static int skipLetters(String text, int from) {
        int at = from;
        while (at < text.length() && text.charAt(at) >= 'a' && text.charAt(at) <= 'z') {
            at++;
        }
        return at;
    }

    private static long unitMs(String unit) {
        return switch (unit) {
            case "ms" -> 1;
            case "s" -> 1_000;
            case "m", "min" -> 60_000;
            case "h" -> 3_600_000;
            case "d" -> 86_400_000;
            case "w" -> 7 * 86_400_000L;
            default -> 0;
        };
    }
}
