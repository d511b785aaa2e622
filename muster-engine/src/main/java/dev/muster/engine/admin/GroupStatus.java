package dev.muster.engine.admin;

/** The state of a group, for members of all protocols. */
public enum GroupStatus {
    /** The group has no members. It may have offsets. */
    EMPTY,
    /** Classic rules: joins are parked until all members have joined again, or until the rebalance timeout. */
    JOINING,
    /** Classic rules: there is a generation, and its leader has not assigned yet. */
    ASSIGNING,
    /** Modern rules: at least one member does not own its whole target yet. */
    RECONCILING,
    /** All members own their targets. */
    STABLE,
    /** The group is deleted. */
    DELETED,
    /** The group's files are damaged, so its state is not known. */
    DAMAGED
}
