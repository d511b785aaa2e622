package dev.muster.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class ProcessAgeTest {
    @Test
    void itIsAboutWhatTheJdkSaysAndGrows() {
        long before = told();
        long first = ProcessAge.millis();
        assertThat(first).isBetween(before - 2_000, told() + 2_000).isPositive();
        assertThat(ProcessAge.millis()).isGreaterThanOrEqualTo(first);
    }

    private static long told() {
        Instant start = ProcessHandle.current().info().startInstant().orElseThrow();
        return Duration.between(start, Instant.now()).toMillis();
    }
}
