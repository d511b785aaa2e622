package dev.muster.cli.text;

import dev.muster.core.MusterException;
import java.time.Instant;
import java.time.ZoneId;

/**
 * A place in the log of a partition in the user's spelling: {@code start}, {@code end}, an offset, {@code -N} (N
 * records before the end), or a time in any form of {@link Moments}. A number is always an offset, never a time.
 */
public sealed interface Place {
    record Start() implements Place {}

    record End() implements Place {}

    record At(long offset) implements Place {}

    record BeforeEnd(long records) implements Place {}

    record AtTime(Instant time) implements Place {}

    static Place parse(String text, Instant now, ZoneId zone) {
        return switch (text) {
            case "start", "beginning", "earliest" -> new Start();
            case "end", "latest" -> new End();
            default -> isNumber(text) ? number(text) : new AtTime(time(text, now, zone));
        };
    }

    private static Place number(String text) {
        try {
            long number = Long.parseLong(text);
            return text.startsWith("-") ? new BeforeEnd(-number) : new At(number);
        } catch (NumberFormatException e) {
            throw new MusterException("the offset " + text + " is too large", null, e);
        }
    }

    private static Instant time(String text, Instant now, ZoneId zone) {
        try {
            return Moments.parse(text, now, zone);
        } catch (MusterException e) {
            throw new MusterException(
                    "\"" + text + "\" is not a place in a log",
                    "write start, end, an offset, -100 (before the end), -5h, @1700000000000 or 2026-01-31T12:00:00Z",
                    e);
        }
    }

    private static boolean isNumber(String text) {
        int from = text.startsWith("-") ? 1 : 0;
        return text.length() > from && text.chars().skip(from).allMatch(c -> c >= '0' && c <= '9');
    }
}
