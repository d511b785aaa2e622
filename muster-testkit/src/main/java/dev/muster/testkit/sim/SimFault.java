package dev.muster.testkit.sim;

/** What can go wrong with a simulated machine by itself, in the middle of any call. */
public enum SimFault {
    /** The process does not get the processor for a moment. */
    PREEMPT,
    /** The process is stopped, as by SIGSTOP, and goes on later with all it had: memory, locks, open files. */
    STOP,
    /** The process dies, as by SIGKILL. */
    KILL,
    /** The process dies in its next write, which is then cut. */
    KILL_IN_WRITE,
    /** The call takes long. */
    SLOW_CALL,
    /** The power goes: all processes die, and what was not synced is lost in part. */
    POWER_CUT,
    /** The next sync fails, and the pages it was for are held for clean. */
    FAILED_SYNC,
    /** The wall clock jumps. */
    CLOCK_JUMP
}
