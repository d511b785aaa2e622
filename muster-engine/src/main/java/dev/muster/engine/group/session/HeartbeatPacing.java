package dev.muster.engine.group.session;

import dev.muster.core.group.Group;
import java.time.Duration;

/**
 * How long a remote member is silent between two signs of life: it is how long it takes to hear of a change. Short
 * while something is going on or there are few of them, long when they are many and nothing happens, so that the
 * heartbeats of a group stay at a few hundred in a second.
 *
 * <p>A member that comes much later than it was asked to is short of something, mostly of a processor, and more
 * heartbeats would keep it from what it is to do in between. So each time it is late its pause doubles, within limits:
 * a member that hangs up gets that much longer. It shrinks again when the member is in time.
 *
 * @param stretch how many times as long as usual
 */
public record HeartbeatPacing(double stretch) {
    static final HeartbeatPacing USUAL = new HeartbeatPacing(1);

    private static final long BUSY_MILLIS_EACH = 3;
    private static final long BUSY_MILLIS_MIN = 50;
    private static final long BUSY_MILLIS_MAX = 1_000;
    private static final long GATHERING_MILLIS_MORE = 50;
    private static final long QUIET_MILLIS_EACH = 10;
    private static final long QUIET_MILLIS_MIN = 300;

    /** Later than this, and by half of what was asked for, is late: the network has a part in it too. */
    private static final long LATE_NANOS = 250_000_000;

    private static final long STRETCHED_MILLIS_MAX = 2_000;
    /** More would make no pause longer, only the way back. */
    private static final double STRETCH_MAX = (double) STRETCHED_MILLIS_MAX / BUSY_MILLIS_MIN;

    /** Of so many signs of life within a session all but one may be lost. */
    private static final int SIGNS_PER_SESSION = 3;

    /** The member spoke when it was its turn. */
    HeartbeatPacing heard(ConnectionLiveness.Pause pause) {
        if (pause.took() <= pause.asked() + pause.asked() / 2 + LATE_NANOS) {
            return stretch * Math.sqrt(0.5) <= 1 ? USUAL : new HeartbeatPacing(stretch * Math.sqrt(0.5));
        }
        boolean longest =
                pause.asked() >= Duration.ofMillis(STRETCHED_MILLIS_MAX).toNanos();
        return longest ? this : new HeartbeatPacing(Math.min(stretch * 2, STRETCH_MAX));
    }

    public Duration of(Group group, RemoteConfig config) {
        int members = group.members().size();
        long usual = group.reconciled()
                ? Math.max(QUIET_MILLIS_MIN, QUIET_MILLIS_EACH * members)
                : Math.clamp(BUSY_MILLIS_EACH * members, BUSY_MILLIS_MIN, BUSY_MILLIS_MAX);
        long longest = Math.min(STRETCHED_MILLIS_MAX, config.session().toMillis() / SIGNS_PER_SESSION);
        long millis = Math.max(usual, Math.min(Math.round(usual * stretch), longest));
        if (group.crowded()
                && group.forming().isEmpty()
                && group.gatheringTime().isPresent()) {
            // Nothing is to be heard before, and while many come there is better use for the time.
            millis = Math.max(millis, group.gatheringTime().get().toMillis() + GATHERING_MILLIS_MORE);
        }
        return Duration.ofMillis(Math.min(millis, config.pauseMax().toMillis()));
    }
}
