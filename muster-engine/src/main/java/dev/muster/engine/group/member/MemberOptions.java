package dev.muster.engine.group.member;

import dev.muster.core.group.model.Expectation;
import dev.muster.core.group.model.GroupName;
import dev.muster.core.group.model.Subscription;
import dev.muster.core.group.model.Timing;
import dev.muster.engine.runtime.Deadline;
import java.time.Duration;
import java.util.Optional;

/**
 * What a member is like: a value that cannot be wrong.
 *
 * @param instance set for a static member
 * @param client a name for people, the first part of its member ids
 * @param heartbeat how often its process gives a sign of life; at most a third of the session
 * @param maxPollInterval a member that has had records in hand for longer leaves
 * @param expects how many members the group waits for, should this one be the first
 */
public record MemberOptions(
        GroupName group,
        Optional<String> instance,
        String client,
        Subscription subscription,
        Timing timing,
        Duration heartbeat,
        Duration maxPollInterval,
        String assignor,
        Optional<Expectation> expects) {
    public static final Duration HEARTBEAT = Duration.ofSeconds(5);
    public static final Duration MAX_POLL_INTERVAL = Duration.ofMinutes(5);

    public MemberOptions {
        if (!heartbeat.isPositive() || heartbeat.multipliedBy(3).compareTo(timing.session()) > 0) {
            throw new IllegalArgumentException("the heartbeat is positive and at most a third of the session: "
                    + heartbeat + " of " + timing.session());
        }
        if (!maxPollInterval.isPositive()) {
            throw new IllegalArgumentException("maxPollInterval must be positive: " + maxPollInterval);
        }
    }

    /** One that does not wait for other members. */
    public MemberOptions(
            GroupName group,
            Optional<String> instance,
            String client,
            Subscription subscription,
            Timing timing,
            Duration heartbeat,
            Duration maxPollInterval,
            String assignor) {
        this(group, instance, client, subscription, timing, heartbeat, maxPollInterval, assignor, Optional.empty());
    }

    /** How long records may be handed out after the start of a sign of life, by the member's own clock. */
    long leaseNanos() {
        return Deadline.nanos(timing.session().minus(heartbeat));
    }
}
