package dev.muster.core.group.classic;

import java.time.Duration;
import java.util.Optional;

/**
 * The longest wait of a state: of a rebalance for its members, or of a generation for members that have not asked for
 * their assignment.
 *
 * @param token number that is new for every wait; a timer with an older one is void
 * @param after time to wait
 * @param atMost longest time in all; set in the settle window of a group that was empty, where each join begins
 *     {@code after} anew
 */
public record RebalanceTimeouts(long token, Duration after, Optional<Duration> atMost) {
    static final RebalanceTimeouts NONE = new RebalanceTimeouts(0, Duration.ZERO, Optional.empty());

    boolean isSettleWindow() {
        return atMost.isPresent();
    }

    RebalanceTimeouts restarted(long newToken) {
        return new RebalanceTimeouts(newToken, after, atMost);
    }
}
