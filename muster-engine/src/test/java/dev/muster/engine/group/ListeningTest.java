package dev.muster.engine.group;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.group.MemberId;
import org.junit.jupiter.api.Test;

class ListeningTest {
    private static final MemberId MEMBER = new MemberId("A");

    @Test
    void aLateSignOverAnOlderConnectionDoesNotTieTheMemberToThatConnection() {
        try (SimulatedWorld world = new SimulatedWorld()) {
            Listening listening = new Listening(world.process().groups.world());
            listening.heard(MEMBER, 5, 0);
            listening.heard(MEMBER, 4, 0);
            assertThat(listening.hungUp(4)).isFalse();
            assertThat(listening.isHungUp(MEMBER)).isFalse();
            assertThat(listening.hungUp(5)).isTrue();
            assertThat(listening.isHungUp(MEMBER)).isTrue();
        }
    }
}
