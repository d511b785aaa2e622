package dev.muster.cli.text;

import dev.muster.core.MusterException;

/** A rate: {@code 200/s}, {@code 6000/m}, {@code 5/h}; a bare number is per second. */
public record Rate(long count, long perNanos) {
    public static Rate parse(String text) {
        int slash = text.indexOf('/');
        String number = slash < 0 ? text : text.substring(0, slash);
        String unit = slash < 0 ? "s" : text.substring(slash + 1);
        long nanos = switch (unit) {
            case "ms" -> 1_000_000L;
            case "s", "sec" -> 1_000_000_000L;
            case "m", "min" -> 60_000_000_000L;
            case "h" -> 3_600_000_000_000L;
            default -> 0;
        };
        long count = number.chars().allMatch(c -> c >= '0' && c <= '9') && !number.isEmpty() && number.length() < 10
                ? Long.parseLong(number)
                : 0;
        if (nanos == 0 || count == 0) {
            throw new MusterException("\"" + text + "\" is not a rate", "write 200/s, 6000/m or 5/h");
        }
        return new Rate(count, nanos);
    }

    /** The time at which the record of this number is due, in nanoseconds after the first. */
    public long dueNanos(long number) {
        return number / count * perNanos + number % count * perNanos / count;
    }
}
