package dev.muster.engine.group.session;

import java.time.Duration;
import java.util.Optional;

/**
 * The limits of a server for members of classic groups.
 *
 * @param sessionMin shortest session that a member may request ({@code group.min.session.timeout.ms})
 * @param sessionMax longest session that a member may request; bounds the time that a dead member keeps its place
 *     ({@code group.max.session.timeout.ms})
 * @param sizeMax largest number of members of a group ({@code group.max.size})
 * @param settle time that an empty group waits for one more join; every join restarts it
 * @param settleMax longest total wait for joins, zero for none ({@code group.initial.rebalance.delay.ms}; Kafka waits
 *     for this whole time even without further joins)
 * @param joinMax time after which a new member without a first generation is expelled
 * @param grace the grace of {@link RemoteConfig}
 */
public record ClassicConfig(
        Duration sessionMin,
        Duration sessionMax,
        int sizeMax,
        Duration settle,
        Duration settleMax,
        Duration joinMax,
        Optional<Duration> grace) {
    public static final ClassicConfig DEFAULT = new ClassicConfig(
            Duration.ofSeconds(6),
            Duration.ofMinutes(30),
            Integer.MAX_VALUE,
            Duration.ofMillis(50),
            Duration.ofSeconds(3),
            Duration.ofMinutes(5),
            RemoteConfig.DEFAULT.grace());

    public ClassicConfig {
        if (!sessionMin.isPositive() || sessionMin.compareTo(sessionMax) > 0) {
            throw new IllegalArgumentException(
                    "sessions are positive, and the shortest is not longer than the longest: " + sessionMin + ", "
                            + sessionMax);
        }
        if (sizeMax < 1) {
            throw new IllegalArgumentException("group.max.size must be positive: " + sizeMax);
        }
        if (settle.isNegative() || settleMax.isNegative() || !joinMax.isPositive()) {
            throw new IllegalArgumentException(
                    "times are not negative: settle " + settle + ", settleMax " + settleMax + ", joinMax " + joinMax);
        }
    }
}
