package dev.muster.core.group.model;

/** Why a member is out. */
public enum LeaveCause {
    /** It said so. */
    LEFT,
    /** Its process is dead: the kernel says so. */
    PROCESS_DIED,
    /** No sign of life for a whole session. */
    SESSION_EXPIRED,
    /** A remote one: its side ended the connection without a word, and it did not come back soon. */
    CONNECTION_LOST,
    /** It did not let go of its partitions in time. */
    REVOKE_TIMED_OUT,
    /** It lives, but did not poll or finish for longer than it promised. */
    POLL_TIMED_OUT,
    /** A static member that went and did not come back within its session. */
    STAYED_AWAY,
    /** Somebody removed it by hand. */
    REMOVED,
    /** The group became classic before it let go of partitions whose offset was set by hand. */
    RESET_NOT_HEARD,
    /** Classic: it did not come back to a rebalance in the time that it had for it. */
    REBALANCE_TIMED_OUT,
    /** Classic: it did not ask for its assignment in the time that it had for it. */
    SYNC_TIMED_OUT,
    /** Classic: it came and waited for a generation for so long that it may not be there any more. */
    JOIN_TIMED_OUT,
    /** Classic: it came back to a rebalance when there were as many as are allowed. */
    GROUP_FULL
}
