package dev.muster.cli.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.HdrHistogram.Histogram;

/**
 * A histogram as lines of text, from the first value to the last. Each line covers twice the time of the line above.
 */
final class Bars {
    private static final int WIDTH = 40;

    private Bars() {}

    static String of(Histogram histogram) {
        if (histogram.getTotalCount() == 0) {
            return "";
        }
        List<Long> counts = new ArrayList<>();
        long first = Long.highestOneBit(Math.max(1, histogram.getMinValue()));
        for (long low = first; low <= histogram.getMaxValue(); low *= 2) {
            counts.add(histogram.getCountBetweenValues(low == first ? 0 : low, low * 2 - 1));
        }
        long most = counts.stream().mapToLong(Long::longValue).max().orElseThrow();
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < counts.size(); i++) {
            long count = counts.get(i);
            // A single value among millions still gets a bar: outliers matter here.
            int length = count == 0 ? 0 : Math.max(1, Math.toIntExact(count * WIDTH / most));
            out.append(String.format(
                    Locale.ROOT, "  %9s  %-" + WIDTH + "s %,d%n", Times.show(first << i), "█".repeat(length), count));
        }
        return out.toString();
    }
}
