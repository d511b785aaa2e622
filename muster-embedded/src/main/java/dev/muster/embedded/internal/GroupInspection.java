package dev.muster.embedded.internal;

import dev.muster.core.group.Group;
import dev.muster.core.group.repair.RepairPlan;
import dev.muster.embedded.Muster;
import dev.muster.embedded.admin.Groups;
import java.time.Duration;
import java.util.Optional;

/** {@link Groups} with the whole state of a group as core knows it, and with repair; for the command line. */
public interface GroupInspection extends Groups {
    static GroupInspection of(Muster muster) {
        return ((OpenMuster) muster).groups();
    }

    /** The current state of a group; empty if there is no such group. */
    Optional<Group> state(String group);

    /** The state with its version in the journal; version 0 without members if there is no such group. */
    Snapshot snapshot(String group);

    /** Like {@link #await}, but returns the whole state. */
    Snapshot awaitSnapshot(String group, long version, Duration timeout);

    /**
     * The state of a group with its version.
     *
     * @param version number of journal entries that led to this state
     */
    record Snapshot(long version, Group group) {}

    /**
     * Plans the repair of a damaged group, without changing anything; empty if there is no such group.
     *
     * @return plan with everything that can be rebuilt; it is not {@link RepairPlan#needed} if nothing is damaged, or
     *     if a process that knows the state has repaired the journal
     */
    Optional<RepairPlan> planRepair(String group);

    /**
     * Rebuilds a damaged group as planned. Its members must join again.
     *
     * @throws dev.muster.embedded.admin.GroupRefusedException while a living process may know more of the group, or if
     *     the group has changed since the plan was made
     */
    void repair(RepairPlan plan);
}
