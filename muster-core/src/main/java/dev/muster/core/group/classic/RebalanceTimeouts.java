package dev.muster.core.group.classic;

import java.time.Duration;
import java.util.Optional;

/**
 * What a state waits for at most: a rebalance for its members, a generation for those who have not asked for their
 * assignment.
 *
 * @param token another one for every wait: a timer for an older one is void
 * @param atMost set in the settle window of a group that was empty: each join begins {@code after} anew, up to this
 *     time in all
 */
public record RebalanceTimeouts(long token, Duration after, Optional<Duration> atMost) {
    static final RebalanceTimeouts NONE = new RebalanceTimeouts(0, Duration.ZERO, Optional.empty());

    boolean settles() {
        return atMost.isPresent();
    }

    RebalanceTimeouts again(long newToken) {
        return new RebalanceTimeouts(newToken, after, atMost);
    }
}
