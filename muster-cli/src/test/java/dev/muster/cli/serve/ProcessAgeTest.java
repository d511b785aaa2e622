package dev.muster.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class ProcessAgeTest {
    @Test
    void itIsAboutWhatTheJdkSaysAndGrows() {
        long first = ProcessAge.millis();
        Instant start = ProcessHandle.current().info().startInstant().orElseThrow();
        long told = Duration.between(start, Instant.now()).toMillis();
        assertThat(first).isBetween(told - 2_000, told + 2_000).isPositive();
        assertThat(ProcessAge.millis()).isGreaterThanOrEqualTo(first);
    }
}
