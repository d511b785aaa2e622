package dev.muster.engine.group;

import dev.muster.core.group.Group;
import java.time.Duration;

/**
 * How long remote members are silent between two signs of life: it is how long they take to hear of a change. Short
 * while something is going on or there are few of them, long when they are many and nothing happens, so that their
 * heartbeats stay at a few hundred in a second.
 */
final class Pace {
    private static final long BUSY_MILLIS_EACH = 3;
    private static final long BUSY_MILLIS_MIN = 50;
    private static final long BUSY_MILLIS_MAX = 1_000;
    private static final long GATHERING_MILLIS_MORE = 50;
    private static final long QUIET_MILLIS_EACH = 10;
    private static final long QUIET_MILLIS_MIN = 300;

    private Pace() {}

    static Duration of(Group group, Duration max) {
        int members = group.members().size();
        long millis = group.quiet()
                ? Math.max(QUIET_MILLIS_MIN, QUIET_MILLIS_EACH * members)
                : Math.clamp(BUSY_MILLIS_EACH * members, BUSY_MILLIS_MIN, BUSY_MILLIS_MAX);
        if (group.crowded() && group.forming().isEmpty() && group.gathering().isPresent()) {
            // Nothing is to be heard before, and while many come there is better use for the time.
            millis = Math.max(millis, group.gathering().get().toMillis() + GATHERING_MILLIS_MORE);
        }
        return Duration.ofMillis(Math.min(millis, max.toMillis()));
    }
}
