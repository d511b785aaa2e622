package dev.muster.cli.bench;

import java.util.Locale;

/** Formats nanoseconds in a suitable unit, with three digits. */
final class Times {
    private static final String[] UNITS = {"ns", "µs", "ms", "s"};

    private Times() {}

    static String show(long nanos) {
        double value = nanos;
        int unit = 0;
        while (value >= 999.5 && unit < UNITS.length - 1) {
            value /= 1000;
            unit++;
        }
        String format = unit == 0 || value >= 99.95 ? "%.0f %s" : value >= 9.995 ? "%.1f %s" : "%.2f %s";
        return String.format(Locale.ROOT, format, value, UNITS[unit]);
    }
}
