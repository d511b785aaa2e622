package dev.muster.core.group.model;

import java.time.Duration;

/**
 * The timeouts that a member promised to keep.
 *
 * @param session time after which a member whose process gives no sign of life is expelled
 * @param revoke time after which a member that must release a partition, and has not done so, is expelled
 */
public record Timing(Duration session, Duration revoke) {
    public static final Timing DEFAULT = new Timing(Duration.ofSeconds(30), Duration.ofSeconds(30));

    public Timing {
        if (!session.isPositive() || !revoke.isPositive()) {
            throw new IllegalArgumentException("times are positive: session " + session + ", revoke " + revoke);
        }
    }
}
