package dev.muster.core.group.model;

/** The cause of the end of a membership. */
public enum LeaveCause {
    /** The member left. */
    LEFT,
    /** The member's process is dead, as the kernel reports. */
    PROCESS_DIED,
    /** The member gave no sign of life for a whole session. */
    SESSION_EXPIRED,
    /**
     * Remote members: the client's side ended the connection without a leave, and the member did not come back soon.
     */
    CONNECTION_LOST,
    /** The member did not release its partitions in time. */
    REVOKE_TIMED_OUT,
    /** The member is alive, but did not poll or finish its records in the time that it promised. */
    POLL_TIMED_OUT,
    /** The member was static and away, and did not come back within its session. */
    STAYED_AWAY,
    /** The member was removed by hand. */
    REMOVED,
    /** The group became classic before the member released partitions whose offset was set by hand. */
    RESET_NOT_HEARD,
    /** Classic: the member did not come back to a rebalance in time. */
    REBALANCE_TIMED_OUT,
    /** Classic: the member did not ask for its assignment in time. */
    SYNC_TIMED_OUT,
    /** Classic: the member waited for its first generation for so long that its client may be gone. */
    JOIN_TIMED_OUT,
    /** Classic: the member came back to a rebalance when the group was full. */
    GROUP_FULL
}
