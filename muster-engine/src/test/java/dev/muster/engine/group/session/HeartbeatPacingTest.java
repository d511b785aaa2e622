package dev.muster.engine.group.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.group.Group;
import dev.muster.engine.group.remote.ConsumerProtocolTest;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Heartbeat intervals of late and punctual members. {@link ConsumerProtocolTest} tests the effect of rebalances. */
class HeartbeatPacingTest {
    private static final Duration USUAL = Duration.ofMillis(300);

    private RemoteConfig config = RemoteConfig.DEFAULT;
    private HeartbeatPacing pace = HeartbeatPacing.USUAL;

    private Duration pause() {
        return pace.of(Group.empty(), config);
    }

    /** A heartbeat that is late by this time. */
    private void late(Duration late) {
        Duration asked = pause();
        pace = pace.after(
                new ConnectionLiveness.Pause(asked.toNanos(), asked.plus(late).toNanos()));
    }

    @Test
    void aPunctualMemberKeepsTheUsualInterval() {
        late(Duration.ofMillis(200));
        assertThat(pause()).isEqualTo(USUAL);
    }

    @Test
    void aLateMemberGetsALongerInterval() {
        late(Duration.ofSeconds(1));
        assertThat(pause()).isEqualTo(USUAL.multipliedBy(2));
        late(Duration.ofSeconds(1));
        assertThat(pause()).isEqualTo(USUAL.multipliedBy(4));
    }

    @Test
    void theIntervalOfALateMemberIsBounded() {
        for (int i = 0; i < 100; i++) {
            late(Duration.ofMinutes(1));
        }
        assertThat(pause()).isEqualTo(Duration.ofSeconds(2));
        for (int i = 0; i < 8; i++) {
            late(Duration.ZERO);
        }
        assertThat(pause()).as("soon as before").isEqualTo(USUAL);
    }

    @Test
    void severalHeartbeatsFitIntoASession() {
        config = new RemoteConfig(Duration.ofSeconds(3), Duration.ofSeconds(2), 10, Optional.empty());
        for (int i = 0; i < 2_000; i++) {
            late(Duration.ofMinutes(1));
        }
        assertThat(pause()).isEqualTo(Duration.ofSeconds(1));
        for (int i = 0; i < 12; i++) {
            late(Duration.ZERO);
        }
        assertThat(pause()).as("soon as before").isEqualTo(USUAL);
    }
}
