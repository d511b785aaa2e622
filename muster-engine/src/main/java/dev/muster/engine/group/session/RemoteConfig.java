package dev.muster.engine.group.session;

import java.time.Duration;
import java.util.Optional;

/**
 * What a server allows to remote members that live by the modern rules.
 *
 * @param session a member that is not heard of for so long is out ({@code group.consumer.session.timeout.ms})
 * @param pauseMax how long members are silent between two signs of life at most: those of a large and quiet group
 *     ({@code group.consumer.heartbeat.interval.ms})
 * @param sizeMax how many members a group may have ({@code group.consumer.max.size})
 * @param grace how much longer than its usual pause a member may stay away whose side ended the connection; empty: a
 *     whole session ({@code group.lost.connection.grace.ms})
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
