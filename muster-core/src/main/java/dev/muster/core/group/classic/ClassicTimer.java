package dev.muster.core.group.classic;

import dev.muster.core.MemberId;
import java.time.Duration;

/**
 * A timer that a state of a classic group asks for. When it expires, a process proposes {@link ClassicCommand.Expire}
 * with it.
 */
public sealed interface ClassicTimer {
    Duration after();

    /**
     * The group was empty and members are joining. Each join asks for another timer. All of them end after
     * {@code atMost}.
     */
    record Settle(long token, Duration after, Duration atMost) implements ClassicTimer {}

    /** Members should come back to a rebalance. */
    record Barrier(long token, Duration after) implements ClassicTimer {}

    /** Members should ask for their assignment. */
    record Sync(long token, Duration after) implements ClassicTimer {}

    /** A client was given an id and should join with it. */
    record Id(MemberId member, long token, Duration after) implements ClassicTimer {}

    /** The process that served a member is gone. Another process may take the member over. */
    record Away(MemberId member, long token, Duration after) implements ClassicTimer {}
}
