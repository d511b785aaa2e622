package dev.muster.disk;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MonotonicClockTest {
    @TempDir
    private Path folder;

    @Test
    void aClockAheadOfTheUptimeIsNotShared() throws Exception {
        Path uptime = Files.writeString(folder.resolve("uptime"), "3600.25 7000.00\n");
        assertThat(MonotonicClock.isWithin(uptime, TimeUnit.HOURS.toNanos(1))).isTrue();
        assertThat(MonotonicClock.isWithin(uptime, TimeUnit.MINUTES.toNanos(10)))
                .as("the machine slept for the rest")
                .isTrue();
        assertThat(MonotonicClock.isWithin(uptime, TimeUnit.HOURS.toNanos(2))).isFalse();
    }

    @Test
    void theClockOfThisProcessIsShared() {
        assertThat(Machine.THIS.sharesMonotonicClock()).isTrue();
    }

    @Test
    void withoutAnUptimeTheClockIsTakenForShared() {
        assertThat(MonotonicClock.isWithin(folder.resolve("missing"), Long.MAX_VALUE))
                .isTrue();
    }
}
