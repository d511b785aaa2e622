package dev.muster.cli.bench;

import dev.muster.core.json.Json;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * The result of one run, as text and as JSON.
 *
 * @param title the measurement in words
 * @param settings the options, by their names
 * @param timed the event that the latencies end with
 * @param latencies in nanoseconds
 */
record Measurement(
        String title,
        Map<String, Object> settings,
        long records,
        long bytes,
        double seconds,
        String timed,
        Histogram latencies) {

    private static final List<Double> PERCENTILES = List.of(50.0, 90.0, 99.0, 99.9, 100.0);

    String text() {
        StringBuilder out = new StringBuilder();
        out.append(title).append('\n');
        out.append(String.format(
                Locale.ROOT,
                "  %,d records in %.2f s: %,.0f records/s, %.1f MB/s%n",
                records,
                seconds,
                records / seconds,
                bytes / seconds / 1e6));
        out.append("  ").append(timed).append(':');
        PERCENTILES.forEach(p -> out.append(' ').append(name(p)).append(' ').append(Times.show(value(p))));
        return out.append("\n\n").append(Bars.of(latencies)).toString();
    }

    String json() {
        Map<String, Object> object = new LinkedHashMap<>(settings);
        object.put("records", records);
        object.put("seconds", seconds);
        object.put("recordsPerSecond", records / seconds);
        object.put("bytesPerSecond", bytes / seconds);
        Map<String, Object> micros = new LinkedHashMap<>();
        PERCENTILES.forEach(p -> micros.put(name(p), value(p) / 1e3));
        object.put("latencyMicros", micros);
        object.put("latencyOf", timed);
        object.put("latencyCount", latencies.getTotalCount());
        return Json.write(object) + "\n";
    }

    private long value(double percentile) {
        return latencies.getValueAtPercentile(percentile);
    }

    private static String name(double percentile) {
        return percentile == 100
                ? "max"
                : "p" + (percentile % 1 == 0 ? String.valueOf((int) percentile) : String.valueOf(percentile));
    }
}
