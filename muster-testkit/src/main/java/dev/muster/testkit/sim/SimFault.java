package dev.muster.testkit.sim;

/** A fault that can happen to a simulated machine in the middle of any call. */
public enum SimFault {
    /** The process does not get a processor for a moment. */
    PREEMPT,
    /** The process is stopped, as by SIGSTOP. It continues later with its memory, locks and open files. */
    STOP,
    /** The process dies, as by SIGKILL. */
    KILL,
    /** The process dies in its next write, which stays incomplete. */
    KILL_IN_WRITE,
    /** The call takes a long time. */
    SLOW_CALL,
    /** The power fails: all processes die, and changes that were not synced are lost in part. */
    POWER_CUT,
    /** The next sync fails, and its pages are marked as clean without being written. */
    FAILED_SYNC,
    /** The wall clock jumps. */
    CLOCK_JUMP
}
