package dev.muster.engine.group;

import dev.muster.core.group.Group;
import java.time.Duration;

/**
 * How long the remote members of one group are silent between two signs of life: it is how long they take to hear of a
 * change. Short while something is going on or there are few of them, long when they are many and nothing happens, so
 * that their heartbeats stay at a few hundred in a second.
 *
 * <p>Members that come later than they were asked to are short of something, mostly of a processor, and more heartbeats
 * would keep them from what they are to do in between: so the pause grows with every round in which most of them are
 * late, and shrinks again when they are in time. For all threads.
 */
final class Pace {
    private static final long BUSY_MILLIS_EACH = 3;
    private static final long BUSY_MILLIS_MIN = 50;
    private static final long BUSY_MILLIS_MAX = 1_000;
    private static final long GATHERING_MILLIS_MORE = 50;
    private static final long QUIET_MILLIS_EACH = 10;
    private static final long QUIET_MILLIS_MIN = 300;

    /** Who comes a little later than it was asked to is in time. */
    private static final long LATE_NANOS = 100_000_000;

    private static final double STRETCH_MAX = 100;

    private double stretch = 1;

    /**
     * A member spoke when it was its turn.
     *
     * @param asked how long it was to be silent
     * @param took how long it was
     * @param members how many are in the group
     */
    synchronized void heard(long asked, long took, int members) {
        boolean late = took > asked + asked / 2 + LATE_NANOS;
        // What one round of all members makes of it does not depend on how many they are.
        double change = 1 + 1.0 / Math.max(1, members);
        stretch = Math.clamp(late ? stretch * change : stretch / Math.sqrt(change), 1, STRETCH_MAX);
    }

    synchronized Duration of(Group group, Duration max) {
        int members = group.members().size();
        long millis = group.quiet()
                ? Math.max(QUIET_MILLIS_MIN, QUIET_MILLIS_EACH * members)
                : Math.clamp(BUSY_MILLIS_EACH * members, BUSY_MILLIS_MIN, BUSY_MILLIS_MAX);
        millis = Math.round(millis * stretch);
        if (group.crowded() && group.forming().isEmpty() && group.gathering().isPresent()) {
            // Nothing is to be heard before, and while many come there is better use for the time.
            millis = Math.max(millis, group.gathering().get().toMillis() + GATHERING_MILLIS_MORE);
        }
        return Duration.ofMillis(Math.min(millis, max.toMillis()));
    }
}
