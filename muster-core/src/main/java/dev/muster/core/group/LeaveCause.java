package dev.muster.core.group;

/** Why a member is out. */
public enum LeaveCause {
    /** It said so. */
    LEFT,
    /** Its process is dead: the kernel says so. */
    PROCESS_DIED,
    /** No sign of life for a whole session. */
    SESSION_EXPIRED,
    /** It did not let go of its partitions in time. */
    REVOKE_TIMED_OUT,
    /** It lives, but did not poll or finish for longer than it promised. */
    POLL_TIMED_OUT,
    /** A static member that went and did not come back within its session. */
    STAYED_AWAY,
    /** Somebody removed it by hand. */
    REMOVED
}
