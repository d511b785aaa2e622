package dev.muster.cli.text;

import java.time.Duration;
import java.util.Locale;

/** Lengths of time as text: {@code 4 ms}, {@code 3.1 s}, {@code 30 s}, {@code 2m 5s}, {@code 5h 10m}, {@code 3d 4h}. */
public final class Spans {
    private Spans() {}

    public static String show(Duration span) {
        return show(span.toMillis());
    }

    public static String show(long millis) {
        if (millis < 1_000) {
            return millis + " ms";
        }
        if (millis >= 10_000 && millis < 60_000) {
            return millis / 1_000 + " s";
        }
        if (millis < 10_000) {
            return String.format(Locale.ROOT, "%.1f s", Math.floor(millis / 100.0) / 10);
        }
        long seconds = millis / 1_000;
        if (seconds < 3_600) {
            return seconds / 60 + "m " + seconds % 60 + "s";
        }
        long minutes = seconds / 60;
        return minutes < 1_440
                ? minutes / 60 + "h " + minutes % 60 + "m"
                : minutes / 1_440 + "d " + minutes % 1_440 / 60 + "h";
    }
}
