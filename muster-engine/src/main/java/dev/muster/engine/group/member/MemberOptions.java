package dev.muster.engine.group.member;

import dev.muster.core.group.model.Expectation;
import dev.muster.core.group.model.GroupName;
import dev.muster.core.group.model.Subscription;
import dev.muster.core.group.model.Timing;
import dev.muster.engine.runtime.Deadline;
import java.time.Duration;
import java.util.Optional;

/**
 * The settings of a member, checked by the constructor.
 *
 * @param instance instance id of a static member; empty for a dynamic one
 * @param client name for people; the first part of the member's ids
 * @param heartbeat interval of the process's signs of life; at most a third of the session
 * @param maxPollInterval longest time between polls with records in hand; after it the member leaves
 * @param expects number of members that the group waits for if this member is its first
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

    /** Creates options of a member that does not wait for other members. */
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

    /** The time after the start of a sign of life in which records may be handed out, by the member's own clock. */
    long leaseNanos() {
        return Deadline.nanos(timing.session().minus(heartbeat));
    }
}
