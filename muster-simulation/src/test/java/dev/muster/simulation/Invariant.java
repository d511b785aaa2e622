package dev.muster.simulation;

/** The invariants of a group, under all faults. */
enum Invariant {
    /** Versions are dense, snapshots equal the state of the lines before them, and all replicas agree. */
    ONE_TRUTH,
    /**
     * A partition has one owner, and a new one only after the old one released it or is out; only the owner hands out
     * its records.
     */
    ONE_OWNER,
    /** No member hands out records after the end of its lease. */
    LEASE,
    /** A commit is accepted only from the owner, and from a member. */
    FENCED_COMMIT,
    /** Commits never decrease, unless an administrator sets them. */
    NO_COMMIT_BACK,
    /** A commit is not behind records that were not processed, or that do not exist. */
    NOTHING_SKIPPED,
    /** Acknowledged records and entries exist, after a power cut too. */
    PROMISE_KEPT,
    /** The number of a generation is used once. */
    GENERATION_ONCE,
    /** No member is expelled that is alive and gives signs of life. */
    LIVING_STAY,
    /** No process waits for a suspended process longer than a moment. */
    NOBODY_HELD_UP,
    /** A partition of a wire member is free only if the member does not process it, or is out. */
    LET_GO_BY_ITSELF,
    /** An answer to a wire member has only partitions that it owns, in an epoch that covers the ownership. */
    TOLD_OWN,
    /** The epoch of a wire member never decreases while it is in the group. */
    EPOCH_RISES,
    /** At most one process serves a directory. */
    ONE_SERVER,
    /** A classic generation has one leader. */
    ONE_LEADER,
    /** A classic member is called to the barrier with its next request. */
    CALLED_BACK,
    /** A join is answered within the longest duration of a rebalance. */
    NOBODY_LEFT_WAITING,
    /** A dead member is expelled after some time, and a client that never existed is no member. */
    NO_GHOSTS,
    /** A client that is not a member gets only that answer. */
    MEMBERS_ONLY,
    /** Soon after the last fault all partitions have owners, all records are processed, and no partition moves. */
    CALM_AFTERWARDS,
    /** No call fails without a cause. */
    NO_SURPRISE
}
