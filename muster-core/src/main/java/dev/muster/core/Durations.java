package dev.muster.core;

import java.time.Duration;

/** Durations as text: {@code 10 s}, {@code 1500 ms}. */
public final class Durations {
    private Durations() {}

    public static String text(Duration duration) {
        return duration.toMillis() % 1000 == 0 ? duration.toSeconds() + " s" : duration.toMillis() + " ms";
    }
}
