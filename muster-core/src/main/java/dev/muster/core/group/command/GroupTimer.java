package dev.muster.core.group.command;

import dev.muster.core.group.classic.ClassicTimer;
import dev.muster.core.group.model.HostId;
import dev.muster.core.group.model.MemberId;
import java.time.Duration;

/**
 * A timer that a state of the group asks for. Whoever sees that state starts it on his own clock, stops it when the
 * state no longer asks for it (an equal timer is the same timer), and proposes what it says when it runs out. Many do
 * so; the first counts, the others are void.
 */
public sealed interface GroupTimer {
    Duration after();

    /**
     * Joins wait to be taken. Each one makes another token. The process of the last joiner is the first in line.
     *
     * @param atMost since the first of them: those that keep arriving are taken then all the same
     */
    record Settle(long token, HostId first, Duration after, Duration atMost) implements GroupTimer {}

    /** The group waits for members. {@code token} is of this waiting. */
    record Forming(long token, Duration after) implements GroupTimer {}

    /** A timer of the classic rules. */
    record Classic(ClassicTimer timer) implements GroupTimer {
        @Override
        public Duration after() {
            return timer.after();
        }
    }

    /** Concerns one member. */
    sealed interface OfMember extends GroupTimer {
        MemberId member();
    }

    /** The member should let go of partitions since this generation. */
    record RevokeDeadline(MemberId member, long since, Duration after) implements OfMember {}

    /** The member went, and may come back. {@code token} is of this going. */
    record AwayDeadline(MemberId member, long token, Duration after) implements OfMember {}
}
