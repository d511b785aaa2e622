package dev.muster.core.group.command;

import dev.muster.core.MemberId;
import dev.muster.core.group.classic.ClassicTimer;
import dev.muster.core.group.model.HostId;
import java.time.Duration;

/**
 * A timer that a state of the group asks for. Every process that follows the group starts it on its own clock when a
 * state asks for it, and stops it when a state no longer does. An equal timer is the same one. When it expires, the
 * process proposes the command that belongs to it. Several processes do so; the first proposal counts, the others have
 * no effect.
 */
public sealed interface GroupTimer {
    Duration after();

    /**
     * Joins wait for the next generation. Each join makes another token. The process of the last member that joined is
     * the first in line.
     *
     * @param atMost longest wait since the first of these joins, even if more keep arriving
     */
    record Settle(long token, HostId first, Duration after, Duration atMost) implements GroupTimer {}

    /** The group waits for members. {@code token} belongs to this wait. */
    record Forming(long token, Duration after) implements GroupTimer {}

    /** A timer of the classic rules. */
    record Classic(ClassicTimer timer) implements GroupTimer {
        @Override
        public Duration after() {
            return timer.after();
        }
    }

    /** A timer that concerns one member. */
    sealed interface OfMember extends GroupTimer {
        MemberId member();
    }

    /** The member should release partitions, since this generation. */
    record RevokeDeadline(MemberId member, long since, Duration after) implements OfMember {}

    /** The member went away and may come back. {@code token} belongs to this absence. */
    record AwayDeadline(MemberId member, long token, Duration after) implements OfMember {}
}
