package dev.muster.engine.group.service;

import dev.muster.core.MemberId;
import dev.muster.core.group.Group;
import java.time.Duration;

/** A member of a group that lives in this process, as the {@link GroupService} sees it. */
public interface LocalMember {
    /** The result of {@link #idleSince} if the member has no records in hand. */
    long NOT_IDLE = Long.MIN_VALUE;

    /** The id of the present membership; null if there is none. From any thread. */
    MemberId id();

    /** The interval of the process's signs of life for this member. */
    Duration heartbeat();

    /** The time after the start of a sign of life in which records may be handed out. */
    long leaseNanos();

    /** The longest time that the member may hold records before it leaves the group. */
    Duration maxPollInterval();

    /**
     * The time since which the member holds records without polling, by the runtime's clock; else {@link #NOT_IDLE}.
     */
    long idleSince();

    /** Reports a new state of the group that differs in more than commits. */
    void stateMoved(Group group);

    /** Makes the member check its group again. */
    void nudge();

    /** Ends the membership, because the store no longer keeps this process registered. */
    void lostByStore();
}
