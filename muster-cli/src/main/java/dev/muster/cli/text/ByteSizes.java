package dev.muster.cli.text;

import dev.muster.core.MusterException;
import java.util.Locale;

/** Byte counts in the user's spelling: {@code 512}, {@code 64k}, {@code 16MiB}, {@code 1G}; always powers of 1024. */
public final class ByteSizes {
    private static final String HINT = "write 512, 64k, 16MiB or 1G";
    private static final String UNITS = "kmgt";

    private ByteSizes() {}

    public static long parse(String text) {
        String lower = text.strip().toLowerCase(Locale.ROOT);
        String digits = lower.endsWith("ib") ? lower.substring(0, lower.length() - 2) : withoutSuffix(lower, "b");
        int unit = digits.isEmpty() ? -1 : UNITS.indexOf(digits.charAt(digits.length() - 1));
        String count = unit < 0 ? digits : digits.substring(0, digits.length() - 1);
        if (count.isEmpty() || !count.chars().allMatch(c -> c >= '0' && c <= '9')) {
            throw new MusterException("\"" + text + "\" is not a number of bytes", HINT);
        }
        try {
            return Math.multiplyExact(Long.parseLong(count), 1L << (10 * (unit + 1)));
        } catch (NumberFormatException | ArithmeticException e) {
            throw new MusterException("\"" + text + "\" bytes are too many", HINT, e);
        }
    }

    /** Three significant digits and a unit: {@code 0 B}, {@code 1.50 KiB}, {@code 12.3 MiB}. */
    public static String show(long bytes) {
        if (bytes < 1024) {
            return bytes + " B";
        }
        double value = bytes;
        int unit = -1;
        while (value >= 1023.5 && unit < UNITS.length() - 1) {
            value /= 1024;
            unit++;
        }
        String number = String.format(Locale.ROOT, value < 9.995 ? "%.2f" : value < 99.95 ? "%.1f" : "%.0f", value);
        return number + " " + Character.toUpperCase(UNITS.charAt(unit)) + "iB";
    }

    private static String withoutSuffix(String text, String suffix) {
        return text.endsWith(suffix) ? text.substring(0, text.length() - suffix.length()) : text;
    }
}
