package dev.muster.engine.group.session;

import java.time.Duration;
import java.util.Optional;

/**
 * The limits of a server for remote members of modern groups.
 *
 * @param session time without a sign of life after which a member is expelled
 *     ({@code group.consumer.session.timeout.ms})
 * @param pauseMax longest heartbeat interval, used in large quiet groups ({@code group.consumer.heartbeat.interval.ms})
 * @param sizeMax largest number of members of a group ({@code group.consumer.max.size})
 * @param grace time beyond the usual interval that a member has after it closed its connection; empty for a whole
 *     session ({@code group.lost.connection.grace.ms})
 */
public record RemoteConfig(Duration session, Duration pauseMax, int sizeMax, Optional<Duration> grace) {
    public static final RemoteConfig DEFAULT = new RemoteConfig(
            Duration.ofSeconds(45), Duration.ofSeconds(5), Integer.MAX_VALUE, Optional.of(Duration.ofMillis(500)));

    public RemoteConfig {
        if (!session.isPositive() || !pauseMax.isPositive() || pauseMax.compareTo(session) >= 0) {
            throw new IllegalArgumentException(
                    "times are positive, and heartbeats come more often than a session ends: session " + session
                            + ", heartbeat " + pauseMax);
        }
        if (sizeMax < 1) {
            throw new IllegalArgumentException("group.consumer.max.size must be positive: " + sizeMax);
        }
    }
}
