package dev.muster.engine.group.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class HeartbeatIntervalTest {
    private static HeartbeatInterval beats(long... secondsBetween) {
        HeartbeatInterval rhythm = HeartbeatInterval.begin(7);
        for (long seconds : secondsBetween) {
            rhythm = rhythm.beat(rhythm.at() + Duration.ofSeconds(seconds).toNanos());
        }
        return rhythm;
    }

    private static Duration pause(HeartbeatInterval rhythm) {
        return Duration.ofNanos(rhythm.pauseNanos());
    }

    @Test
    void withFewHeartbeatsTheDefaultIntervalIsUsed() {
        assertThat(pause(beats())).isEqualTo(Duration.ofSeconds(3));
        assertThat(pause(beats(1))).isEqualTo(Duration.ofSeconds(3));
        assertThat(pause(beats(5))).isEqualTo(Duration.ofSeconds(5));
    }

    @Test
    void theLongestRecentGapIsTheInterval() {
        assertThat(pause(beats(2, 2))).isEqualTo(Duration.ofSeconds(2));
        assertThat(pause(beats(2, 9, 2))).isEqualTo(Duration.ofSeconds(9));
        assertThat(pause(beats(9, 2, 2, 2, 2))).isEqualTo(Duration.ofSeconds(2));
    }

    @Test
    void hurriedHeartbeatsDoNotShortenTheInterval() {
        assertThat(pause(beats(0, 0, 0))).isEqualTo(Duration.ofSeconds(1));
    }
}
