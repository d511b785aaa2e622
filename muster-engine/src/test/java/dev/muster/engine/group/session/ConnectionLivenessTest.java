package dev.muster.engine.group.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.MemberId;
import dev.muster.core.group.model.LeaveCause;
import dev.muster.engine.runtime.GroupRuntime;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Signs of life, and the effect of closed connections. */
class ConnectionLivenessTest {
    private static final MemberId A = new MemberId("A");
    private static final Duration SESSION = Duration.ofSeconds(45);
    private static final long PAUSE = Duration.ofSeconds(3).toNanos();
    private static final Duration GRACE = Duration.ofMillis(500);

    private long now = -10_000_000_000L;
    private final ConnectionLiveness liveness = new ConnectionLiveness(new Clock());

    /** A clock that the test moves. */
    private final class Clock implements GroupRuntime {
        @Override
        public long nanoTime() {
            return now;
        }

        @Override
        public long wallMillis() {
            return 0;
        }

        @Override
        public String freshName() {
            return "fresh";
        }

        @Override
        public void inBackground(Runnable work) {
            work.run();
        }

        @Override
        public <T> T blocking(Supplier<T> call) {
            return call.get();
        }
    }

    private void pass(Duration time) {
        now += time.toNanos();
    }

    /** The time until the member is expelled without a sign of life. */
    private Duration left() {
        return Duration.ofNanos(liveness.silence(A, SESSION, () -> 0, now).deadline() - now);
    }

    private LeaveCause cause() {
        return liveness.silence(A, SESSION, () -> 0, now).cause();
    }

    @Test
    void aSilenceOfTheRequestedLengthIsAPause() {
        assertThat(liveness.pause(A)).isEmpty();
        liveness.noteSign(A, 1, PAUSE);
        pass(Duration.ofSeconds(2));
        assertThat(liveness.pause(A))
                .as("it has something to say, before its turn")
                .isEmpty();
        pass(Duration.ofSeconds(2));
        assertThat(liveness.pause(A)).contains(new ConnectionLiveness.Pause(PAUSE, 4_000_000_000L));
    }

    @Test
    void ourOwnAnswerIsNoSignOfLife() {
        liveness.grace(Optional.of(GRACE));
        liveness.noteSign(A, 1, PAUSE);
        liveness.hungUp(1);
        pass(Duration.ofSeconds(1));
        liveness.answered(A);
        assertThat(cause()).isEqualTo(LeaveCause.CONNECTION_LOST);
        assertThat(left()).isEqualTo(Duration.ofMillis(3500));
    }

    @Test
    void aWholeSessionCountsFromTheLastSignOfLifeDespiteALostConnection() {
        liveness.grace(Optional.of(GRACE));
        liveness.noteSign(A, 1, PAUSE);
        pass(Duration.ofSeconds(2));
        liveness.hungUp(1);
        pass(Duration.ofSeconds(3));
        SessionDeadline silence = liveness.wholeSession(A, SESSION, now);
        assertThat(silence.cause()).isEqualTo(LeaveCause.SESSION_EXPIRED);
        assertThat(Duration.ofNanos(silence.deadline() - now)).isEqualTo(Duration.ofSeconds(40));
        assertThat(liveness.isStill(silence)).isTrue();
        liveness.noteSign(A, 2, PAUSE);
        pass(Duration.ofSeconds(1));
        assertThat(Duration.ofNanos(liveness.wholeSession(A, SESSION, now).deadline() - now))
                .isEqualTo(Duration.ofSeconds(44));
    }

    @Test
    void aRequestFromBeforeTheDisconnectIsNoSignOfLife() {
        liveness.grace(Optional.of(GRACE));
        liveness.noteSign(A, 1, PAUSE);
        liveness.hungUp(1);
        liveness.noteSign(A, 1, PAUSE);
        assertThat(cause()).isEqualTo(LeaveCause.CONNECTION_LOST);
        liveness.noteSign(A, 2, PAUSE);
        assertThat(cause()).isEqualTo(LeaveCause.SESSION_EXPIRED);
        assertThat(left()).isEqualTo(Duration.ofSeconds(45));
    }

    @Test
    void aPauseOfTheServerPostponesDeadlinesWithoutRestartingThem() {
        liveness.noteSign(A, 1, PAUSE);
        pass(Duration.ofSeconds(30));
        assertThat(left()).isEqualTo(Duration.ofSeconds(15));
        pass(Duration.ofSeconds(1));
        liveness.excuse(Duration.ofSeconds(1).toNanos(), now);
        assertThat(left()).as("that second, and as much again").isEqualTo(Duration.ofSeconds(16));
        pass(Duration.ofMinutes(5));
        liveness.excuse(Duration.ofMinutes(5).toNanos(), now);
        assertThat(left()).as("never more than a session").isEqualTo(Duration.ofSeconds(45));
    }

    @Test
    void aLateHeartbeatDoesNotBindTheMemberToAnOlderConnection() {
        liveness.noteSign(A, 5, PAUSE);
        liveness.noteSign(A, 4, PAUSE);
        assertThat(liveness.hungUp(4)).isFalse();
        assertThat(liveness.isHungUp(A)).isFalse();
        assertThat(liveness.hungUp(5)).isTrue();
        assertThat(liveness.isHungUp(A)).isTrue();
    }
}
