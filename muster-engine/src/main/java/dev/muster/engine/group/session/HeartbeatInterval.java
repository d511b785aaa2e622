package dev.muster.engine.group.session;

import java.util.ArrayList;
import java.util.List;

/**
 * The measured heartbeat interval of a client: classic clients do not send it.
 *
 * @param at the time of the last heartbeat
 * @param gaps the times between the last heartbeats
 */
record HeartbeatInterval(long at, List<Long> gaps) {
    /** The default heartbeat interval of clients. */
    static final long USUAL_NANOS = 3_000_000_000L;

    private static final long SHORTEST_NANOS = 1_000_000_000L;

    /** Fewer gaps are not used: around a rebalance heartbeats are irregular. */
    private static final int GAPS_MIN = 2;

    private static final int GAPS_MAX = 4;

    static HeartbeatInterval begin(long now) {
        return new HeartbeatInterval(now, List.of());
    }

    /** Adds a heartbeat. */
    HeartbeatInterval beat(long now) {
        List<Long> last = new ArrayList<>(gaps.size() < GAPS_MAX ? gaps : gaps.subList(1, GAPS_MAX));
        last.add(now - at);
        return new HeartbeatInterval(now, List.copyOf(last));
    }

    /** The longest usual silence of the client. */
    long pauseNanos() {
        long longest = gaps.stream().mapToLong(gap -> gap).max().orElse(0);
        return Math.max(longest, gaps.size() < GAPS_MIN ? USUAL_NANOS : SHORTEST_NANOS);
    }
}
