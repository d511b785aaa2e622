package dev.muster.core.group.model;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Changes that wait to be taken into a generation together.
 *
 * @param token another one with every change: a timer for an older one is void
 * @param joins how many members came since the last generation
 * @param remote whether one of them is at the far end of a connection
 * @param host of the last joiner
 * @param changes the cause of the generation to come
 */
public record PendingRebalance(long token, int joins, boolean remote, Optional<HostId> host, List<Change> changes) {
    /** How long the group waits for the next join after the first. */
    static final Duration SETTLE = Duration.ofMillis(15);

    /** Joins that keep arriving are taken after this time all the same. */
    static final Duration SETTLE_MAX = Duration.ofMillis(100);

    /**
     * Remote members that start together arrive one by one, over connections that are still to be made, and to take
     * back what one of them was given costs it a round of its heart. So the group waits longer for the next of them: so
     * long after the first, and longer the more have come, because then more are to be expected.
     */
    public static final Duration SETTLE_REMOTE = Duration.ofMillis(35);

    public static final Duration SETTLE_REMOTE_EACH = Duration.ofMillis(15);
    public static final Duration SETTLE_REMOTE_LONGEST = Duration.ofMillis(300);
    public static final Duration SETTLE_REMOTE_MAX = Duration.ofMillis(2500);

    /**
     * Each join extends the wait a little less than the one before it; this one not at all. So joins that never stop
     * arriving cannot hold a generation up for ever, and which join ends the wait is the same in every process.
     */
    public static final int JOINS_MAX = 128;

    /** Of so many members it is not to be expected that the next to come is the last. */
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

    public PendingRebalance joined(long newToken, MemberSpec who) {
        return new PendingRebalance(
                newToken,
                joins + 1,
                remote || who.remote(),
                Optional.of(who.host()),
                Change.add(changes, who.label(), "joined"));
    }

    public PendingRebalance changed(long newToken, String who, String what) {
        return new PendingRebalance(newToken, joins, remote, host, Change.add(changes, who, what));
    }

    /**
     * How long to wait for the next.
     *
     * @param arrived how many wait to be given something
     */
    public Duration after(int arrived) {
        if (remote) {
            Duration stretched = SETTLE_REMOTE.plus(SETTLE_REMOTE_EACH.multipliedBy(arrived));
            return stretched.compareTo(SETTLE_REMOTE_LONGEST) < 0 ? stretched : SETTLE_REMOTE_LONGEST;
        }
        int left = Math.max(0, JOINS_MAX - joins);
        return SETTLE.multipliedBy(left).dividedBy(JOINS_MAX);
    }

    /** How long to wait in all, however many come. */
    public Duration atMost() {
        return remote ? SETTLE_REMOTE_MAX : SETTLE_MAX;
    }
}
