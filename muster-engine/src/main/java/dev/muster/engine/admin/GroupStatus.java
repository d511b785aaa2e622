package dev.muster.engine.admin;

/** The state of a group, for members of all protocols. */
public enum GroupStatus {
    /** No members. It may have offsets. */
    EMPTY,
    /** Classic rules: joins are parked until all members are back, or their time is up. */
    JOINING,
    /** Classic rules: there is a generation, and its leader has not assigned yet. */
    ASSIGNING,
    /** Modern rules: at least one member does not have yet what it is to have. */
    RECONCILING,
    /** All members have their assignment. */
    STABLE,
    /** Deleted. */
    DELETED,
    /** The group's files are damaged, so its state is not known. */
    DAMAGED
}
