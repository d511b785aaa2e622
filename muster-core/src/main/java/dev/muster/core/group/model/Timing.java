package dev.muster.core.group.model;

import java.time.Duration;

/**
 * What a member promised.
 *
 * @param session a member whose process shows no sign of life for so long is out
 * @param revoke a member that was told to let go of a partition and has not done so after this long is out
 */
public record Timing(Duration session, Duration revoke) {
    public static final Timing DEFAULT = new Timing(Duration.ofSeconds(30), Duration.ofSeconds(30));

    public Timing {
        if (!session.isPositive() || !revoke.isPositive()) {
            throw new IllegalArgumentException("times are positive: session " + session + ", revoke " + revoke);
        }
    }
}
