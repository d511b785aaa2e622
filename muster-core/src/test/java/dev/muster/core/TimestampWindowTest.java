package dev.muster.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TimestampWindowTest {
    private static final long NOW = 1_800_000_000_000L;

    @Test
    void theDefaultsAreThoseOfKafka() {
        assertThat(TopicSettings.DEFAULT.toMap())
                .containsEntry("message.timestamp.before.max.ms", "9223372036854775807")
                .containsEntry("message.timestamp.after.max.ms", "3600000");
    }

    @Test
    void bothEndsOfTheWindowAreAllowed() {
        TimestampWindow window = new TimestampWindow(1_000, 10);
        assertThat(window.allows(NOW - 1_000, NOW)).isTrue();
        assertThat(window.allows(NOW - 1_001, NOW)).isFalse();
        assertThat(window.allows(NOW + 10, NOW)).isTrue();
        assertThat(window.allows(NOW + 11, NOW)).isFalse();
    }

    /** The difference of two times can overflow, and so can a sum with the window. */
    @ParameterizedTest
    @ValueSource(longs = {NOW, 0, -5, Long.MIN_VALUE, Long.MAX_VALUE})
    void noTimestampOverflowsTheWindow(long now) {
        TimestampWindow widest = new TimestampWindow(Long.MAX_VALUE, Long.MAX_VALUE);
        for (long before1970 : new long[] {Long.MIN_VALUE, Long.MIN_VALUE + 1, -2}) {
            assertThat(widest.allows(before1970, now)).isFalse();
            assertThat(TimestampWindow.DEFAULT.allows(before1970, now)).isFalse();
        }
        assertThat(widest.allows(-1, now)).isTrue();
        assertThat(widest.latest(Math.max(0, now))).isEqualTo(Long.MAX_VALUE);
        assertThat(TimestampWindow.DEFAULT.allows(Long.MAX_VALUE, now)).isEqualTo(now == Long.MAX_VALUE);
    }

    /** Topics that were created by older versions have neither key. */
    @Test
    void settingsWithoutTheKeysHaveTheDefaults() {
        Map<String, String> old = TopicSettings.DEFAULT.toMap();
        old.remove("message.timestamp.before.max.ms");
        old.remove("message.timestamp.after.max.ms");
        assertThat(TopicSettings.fromMap(old)).isEqualTo(TopicSettings.DEFAULT);
    }

    @Test
    void aNegativeWindowIsRefused() {
        for (String key : new String[] {"message.timestamp.before.max.ms", "message.timestamp.after.max.ms"}) {
            assertThatExceptionOfType(MusterException.class)
                    .isThrownBy(() -> TopicSettings.DEFAULT.with(key, "-1"))
                    .withMessage(key + " must be 0 or more, it is -1");
        }
    }

    @Test
    void instantsOutOfRangeBecomeTheNearestLong() {
        assertThat(TimestampWindow.millis(Instant.MAX)).isEqualTo(Long.MAX_VALUE);
        assertThat(TimestampWindow.millis(Instant.MIN)).isEqualTo(Long.MIN_VALUE);
        assertThat(TimestampWindow.millis(Instant.ofEpochMilli(Long.MIN_VALUE))).isEqualTo(Long.MIN_VALUE);
        assertThat(TimestampWindow.millis(Instant.ofEpochMilli(NOW))).isEqualTo(NOW);
    }
}
