package dev.muster.core.group;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Changes that wait to be taken into a generation together.
 *
 * @param token another one with every change: a timer for an older one is void
 * @param joins how many members came since the last generation
 * @param host of the last joiner
 * @param changes the cause of the generation to come
 */
record Pending(long token, int joins, Optional<HostId> host, List<Change> changes) {
    /** How long the group waits for the next join after the first. */
    static final Duration SETTLE = Duration.ofMillis(15);

    /**
     * Each join extends the wait a little less than the one before it; this one not at all. So joins that never stop
     * arriving cannot hold a generation up for ever, and which join ends the wait is the same in every process.
     */
    static final int JOINS_MAX = 128;

    Pending {
        changes = List.copyOf(changes);
    }

    static Pending none() {
        return new Pending(0, 0, Optional.empty(), List.of());
    }

    boolean waiting() {
        return !changes.isEmpty();
    }

    Pending joined(long newToken, HostId from, String who) {
        return new Pending(newToken, joins + 1, Optional.of(from), Change.add(changes, who, "joined"));
    }

    Pending changed(long newToken, String who, String what) {
        return new Pending(newToken, joins, host, Change.add(changes, who, what));
    }

    Duration after() {
        int left = Math.max(0, JOINS_MAX - joins);
        return SETTLE.multipliedBy(left).dividedBy(JOINS_MAX);
    }
}
