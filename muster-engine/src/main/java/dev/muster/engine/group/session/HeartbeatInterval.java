package dev.muster.engine.group.session;

import java.util.ArrayList;
import java.util.List;

/**
 * How often the heartbeats of a client come, as far as was seen: clients of the classic protocol do not tell.
 *
 * @param at when the last one came
 * @param gaps between the last ones
 */
record HeartbeatInterval(long at, List<Long> gaps) {
    /** Between two heartbeats, if clients are left to their defaults. */
    static final long USUAL_NANOS = 3_000_000_000L;

    private static final long SHORTEST_NANOS = 1_000_000_000L;

    /** Fewer say nothing: around a rebalance heartbeats come as they like. */
    private static final int GAPS_MIN = 2;

    private static final int GAPS_MAX = 4;

    static HeartbeatInterval begin(long now) {
        return new HeartbeatInterval(now, List.of());
    }

    /** One more heartbeat. */
    HeartbeatInterval beat(long now) {
        List<Long> last = new ArrayList<>(gaps.size() < GAPS_MAX ? gaps : gaps.subList(1, GAPS_MAX));
        last.add(now - at);
        return new HeartbeatInterval(now, List.copyOf(last));
    }

    /** How long the client is silent as a rule, at most. */
    long pauseNanos() {
        long longest = gaps.stream().mapToLong(gap -> gap).max().orElse(0);
        return Math.max(longest, gaps.size() < GAPS_MIN ? USUAL_NANOS : SHORTEST_NANOS);
    }
}
