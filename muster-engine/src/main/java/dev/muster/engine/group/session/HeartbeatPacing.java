package dev.muster.engine.group.session;

import dev.muster.core.group.Group;
import java.time.Duration;

/**
 * The heartbeat interval that a remote member is asked for. It is also the delay until the member learns of a change.
 * It is short during a rebalance and in small groups, and long in large quiet groups, so that a group has at most a few
 * hundred heartbeats per second.
 *
 * <p>A member whose heartbeats are much later than requested probably lacks processor time, and more heartbeats would
 * make that worse. So its interval doubles with each late heartbeat, up to a limit, and shrinks with punctual ones. The
 * grace after a lost connection grows with the interval.
 *
 * @param stretch factor of the usual interval
 */
public record HeartbeatPacing(double stretch) {
    static final HeartbeatPacing USUAL = new HeartbeatPacing(1);

    private static final long BUSY_MILLIS_EACH = 3;
    private static final long BUSY_MILLIS_MIN = 50;
    private static final long BUSY_MILLIS_MAX = 1_000;
    private static final long GATHERING_MILLIS_MORE = 50;
    private static final long QUIET_MILLIS_EACH = 10;
    private static final long QUIET_MILLIS_MIN = 300;

    /** A heartbeat is late if its delay exceeds this time and half of the interval: the network adds delay too. */
    private static final long LATE_NANOS = 250_000_000;

    private static final long STRETCHED_MILLIS_MAX = 2_000;
    /** A larger factor would lengthen no interval, only its return to the usual one. */
    private static final double STRETCH_MAX = (double) STRETCHED_MILLIS_MAX / BUSY_MILLIS_MIN;

    /** The smallest number of heartbeats within a session; all but one may be lost. */
    private static final int SIGNS_PER_SESSION = 3;

    /** Returns the pacing after a heartbeat that followed this pause. */
    HeartbeatPacing after(ConnectionLiveness.Pause pause) {
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
            // No generation is made before that, and while many members join the processor has other work.
            millis = Math.max(millis, group.gatheringTime().get().toMillis() + GATHERING_MILLIS_MORE);
        }
        return Duration.ofMillis(Math.min(millis, config.pauseMax().toMillis()));
    }
}
