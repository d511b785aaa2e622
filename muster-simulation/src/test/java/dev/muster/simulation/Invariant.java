package dev.muster.simulation;

/** What must be true of a group at any time, however it is treated. */
enum Invariant {
    /** Versions are dense, snapshots say what the lines before them say, and all replicas agree. */
    ONE_TRUTH,
    /** A partition has one owner, and a new one only when the old one let go or is out; nobody else hands it out. */
    ONE_OWNER,
    /** Nobody hands out records longer after its last sign of life than its lease allows. */
    LEASE,
    /** A commit is taken only from the owner, and from a member. */
    FENCED_COMMIT,
    /** Commits never go back, unless somebody asked for it. */
    NO_COMMIT_BACK,
    /** A commit does not lead behind records that nobody processed, or that are not there. */
    NOTHING_SKIPPED,
    /** What was acknowledged is there, after a power cut too. */
    PROMISE_KEPT,
    /** The number of a generation never comes again. */
    GENERATION_ONCE,
    /** Nobody is out who lives and gives signs of it. */
    LIVING_STAY,
    /** Nobody waits for a process that is stopped, but for a moment. */
    NOBODY_HELD_UP,
    /** A partition of a wire member is free only when the member does not work it, or is out. */
    LET_GO_BY_ITSELF,
    /** A wire member is told only what it owns, in an epoch that covers that. */
    TOLD_OWN,
    /** The epoch that a wire member hears never falls while it is in. */
    EPOCH_RISES,
    /** At most one process serves a directory. */
    ONE_SERVER,
    /** A classic generation has one leader. */
    ONE_LEADER,
    /** A classic member hears, as soon as it shows itself, that all are to come to the barrier. */
    CALLED_BACK,
    /** A join is answered as soon as a rebalance may take at most. */
    NOBODY_LEFT_WAITING,
    /** Whoever is gone is out some time later, and whoever never was is no member. */
    NO_GHOSTS,
    /** Whoever is out is told so, and nothing else. */
    MEMBERS_ONLY,
    /** Soon after the last fault all partitions are worked, all records processed, and nothing moves any more. */
    CALM_AFTERWARDS,
    /** No call fails for a reason that it does not have. */
    NO_SURPRISE
}
