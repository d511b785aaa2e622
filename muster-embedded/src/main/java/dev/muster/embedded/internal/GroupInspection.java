package dev.muster.embedded.internal;

import dev.muster.core.group.Group;
import dev.muster.core.group.repair.RepairPlan;
import dev.muster.embedded.Muster;
import dev.muster.embedded.admin.Groups;
import java.time.Duration;
import java.util.Optional;

/** {@link Groups} with the whole state of a group as the rules know it, for the command line. */
public interface GroupInspection extends Groups {
    static GroupInspection of(Muster muster) {
        return ((OpenMuster) muster).groups();
    }

    /** The present state of a group; empty if there is no such group. */
    Optional<Group> state(String group);

    /** The state with its version in the journal; version 0 without members if there is no such group. */
    Snapshot snapshot(String group);

    /** As {@link #await}, with the whole state. */
    Snapshot awaitSnapshot(String group, long version, Duration timeout);

    /** @param version number of journal entries that led to this state */
    record Snapshot(long version, Group group) {}

    /**
     * What can be rebuilt of a damaged group; empty if there is no such group. Changes nothing.
     *
     * @return a plan that is not {@link RepairPlan#needed} if nothing is damaged, or if a process that knows the state
     *     has healed the journal
     */
    Optional<RepairPlan> planRepair(String group);

    /**
     * Rebuilds a damaged group as planned. Its members must join again.
     *
     * @throws dev.muster.embedded.admin.GroupRefusedException while a living process may know more of the group, and if
     *     the group changed since the plan was made
     */
    void repair(RepairPlan plan);
}
