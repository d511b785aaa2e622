package dev.muster.core.group.model;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The changes that wait to be taken into one generation.
 *
 * @param token number that is new with every change; a timer with an older one is void
 * @param joins number of members that joined since the last generation
 * @param remote True if one of these members is at the far end of a connection
 * @param host process of the last member that joined
 * @param changes causes of the next generation
 */
public record PendingRebalance(long token, int joins, boolean remote, Optional<HostId> host, List<Change> changes) {
    /** The time that the group waits for the next join after the first. */
    static final Duration SETTLE = Duration.ofMillis(15);

    /** The longest time that the group waits for joins in all. */
    static final Duration SETTLE_MAX = Duration.ofMillis(100);

    /**
     * The wait for the next join of a remote member, after the first. Remote members that start together arrive one by
     * one, over connections that still have to be made. If one of them gets partitions too early, taking these back
     * costs it a heartbeat interval. So the wait is longer than for other members. It grows with the number that have
     * joined, because then more are to be expected.
     */
    public static final Duration SETTLE_REMOTE = Duration.ofMillis(35);

    public static final Duration SETTLE_REMOTE_EACH = Duration.ofMillis(15);
    public static final Duration SETTLE_REMOTE_LONGEST = Duration.ofMillis(300);
    public static final Duration SETTLE_REMOTE_MAX = Duration.ofMillis(2500);

    /**
     * The number of joins after which a join no longer extends the wait. Each join extends it a little less than the
     * one before. So joins that never stop arriving cannot delay a generation for ever. The limit is a number of joins
     * and not a time, so all processes agree on the join that ends the wait.
     */
    public static final int JOINS_MAX = 128;

    /** The number of members from which a group expects further joins after each one. */
    public static final int CROWD = 4;

    public PendingRebalance {
        changes = List.copyOf(changes);
    }

    public static PendingRebalance none() {
        return new PendingRebalance(0, 0, false, Optional.empty(), List.of());
    }

    public boolean waiting() {
        return !changes.isEmpty();
    }

    public PendingRebalance joined(long newToken, MemberSpec member) {
        return new PendingRebalance(
                newToken,
                joins + 1,
                remote || member.remote(),
                Optional.of(member.host()),
                Change.add(changes, member.label(), "joined"));
    }

    public PendingRebalance changed(long newToken, String name, String predicate) {
        return new PendingRebalance(newToken, joins, remote, host, Change.add(changes, name, predicate));
    }

    /**
     * The time to wait for the next join.
     *
     * @param arrived number of members that wait for partitions
     */
    public Duration nextWait(int arrived) {
        if (remote) {
            Duration stretched = SETTLE_REMOTE.plus(SETTLE_REMOTE_EACH.multipliedBy(arrived));
            return stretched.compareTo(SETTLE_REMOTE_LONGEST) < 0 ? stretched : SETTLE_REMOTE_LONGEST;
        }
        int left = Math.max(0, JOINS_MAX - joins);
        return SETTLE.multipliedBy(left).dividedBy(JOINS_MAX);
    }

    /** The longest time to wait in all, however many members join. */
    public Duration longestWait() {
        return remote ? SETTLE_REMOTE_MAX : SETTLE_MAX;
    }
}
