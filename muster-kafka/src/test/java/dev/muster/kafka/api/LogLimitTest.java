package dev.muster.kafka.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.ResourceBundle;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LogLimitTest {
    private final List<String> lines = new ArrayList<>();
    private long now;
    private final LogLimit limit = new LogLimit(
            new System.Logger() {
                @Override
                public String getName() {
                    return "test";
                }

                @Override
                public boolean isLoggable(Level level) {
                    return level.compareTo(Level.INFO) >= 0;
                }

                @Override
                public void log(Level level, ResourceBundle bundle, String message, Throwable thrown) {
                    lines.add(level + " " + message);
                }

                @Override
                public void log(Level level, ResourceBundle bundle, String format, Object... parameters) {
                    lines.add(level + " " + format);
                }
            },
            2,
            () -> now);

    private void warn(String kind, int times) {
        for (int i = 0; i < times; i++) {
            limit.log(System.Logger.Level.WARNING, kind, kind + " " + i);
        }
    }

    private void secondsPass(int seconds) {
        now += TimeUnit.SECONDS.toNanos(seconds);
    }

    @Test
    void theFirstLinesOfAMinuteAreLoggedAndTheOthersCounted() {
        warn("bad requests", 4213);
        assertThat(lines).containsExactly("WARNING bad requests 0", "WARNING bad requests 1");
        secondsPass(59);
        limit.tick();
        assertThat(lines).hasSize(2);
        secondsPass(1);
        limit.tick();
        assertThat(lines).hasSize(3).last().isEqualTo("WARNING bad requests: … and 4,211 more within a minute");
        limit.tick();
        assertThat(lines).hasSize(3);
    }

    @Test
    void theCountIsLoggedBeforeTheFirstLineOfTheNextMinute() {
        warn("bad requests", 3);
        secondsPass(60);
        warn("bad requests", 1);
        assertThat(lines)
                .containsExactly(
                        "WARNING bad requests 0",
                        "WARNING bad requests 1",
                        "WARNING bad requests: … and 1 more within a minute",
                        "WARNING bad requests 0");
    }

    @Test
    void eachKindHasItsOwnLimit() {
        warn("bad requests", 5);
        warn("damaged group a", 1);
        assertThat(lines).hasSize(3).last().isEqualTo("WARNING damaged group a 0");
    }

    @Test
    void linesOfADisabledLevelAreNotCounted() {
        for (int i = 0; i < 9; i++) {
            limit.log(System.Logger.Level.DEBUG, "bad requests", "hidden");
        }
        secondsPass(60);
        limit.tick();
        assertThat(lines).isEmpty();
    }

    /** Kinds may contain names that clients choose: their number must not grow without end. */
    @Test
    void manyKindsShareOneCount() {
        for (int i = 0; i < 5_000; i++) {
            warn("kind " + i, 1);
        }
        assertThat(lines).hasSize(1_000 + 2);
        secondsPass(60);
        limit.tick();
        assertThat(lines).last().isEqualTo("WARNING other messages: … and 3,998 more within a minute");
    }
}
