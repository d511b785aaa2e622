package dev.muster.engine.group.service;

import dev.muster.core.MemberId;
import dev.muster.core.group.Group;
import java.time.Duration;

/** A member of a group that lives in this process, as the {@link GroupService} sees it. */
public interface LocalMember {
    /** The member has no records in hand. */
    long NOT_IDLE = Long.MIN_VALUE;

    /** The present membership; null when there is none. From any thread. */
    MemberId id();

    /** How often the process gives a sign of life for this member. */
    Duration heartbeat();

    /** How long records may be handed out after the start of a sign of life. */
    long leaseNanos();

    /** How long the member may hold records before it leaves the group. */
    Duration maxPollInterval();

    /** Since when the member holds records without polling again, on the runtime's clock; else {@link #NOT_IDLE}. */
    long idleSince();

    /** The state of the group changed by more than commits. */
    void stateMoved(Group group);

    /** Makes the member look at its group again. */
    void nudge();

    /** The store does not vouch for this process any more, so the membership ends. */
    void lostByStore();
}
