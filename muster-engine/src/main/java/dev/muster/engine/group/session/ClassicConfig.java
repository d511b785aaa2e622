package dev.muster.engine.group.session;

import java.time.Duration;
import java.util.Optional;

/**
 * What a server allows to members that live by the classic rules.
 *
 * @param sessionMin shortest session a member may ask for ({@code group.min.session.timeout.ms})
 * @param sessionMax longest silence a member may ask for; bounds how long a dead one keeps its place
 *     ({@code group.max.session.timeout.ms})
 * @param sizeMax how many members a group may have ({@code group.max.size})
 * @param settle how long a group that was empty waits for one more join; every join begins this time anew
 * @param settleMax how long it waits for joins in all, zero: not at all ({@code group.initial.rebalance.delay.ms},
 *     which in Kafka is waited out even when no member comes)
 * @param joinMax how long a new member waits for its first generation before it is taken for gone
 * @param grace as in {@link RemoteConfig}
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
