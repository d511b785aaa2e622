package dev.muster.kafka.api.groups;

import dev.muster.core.group.Group;
import dev.muster.engine.admin.GroupStatus;

/** The names of group states that Kafka's tools know. */
final class GroupStates {
    static final String DEAD = "Dead";
    /** Not a state of Kafka. Its tools show unknown states as {@code Unknown}. */
    private static final String DAMAGED = "Damaged";

    private GroupStates() {}

    /** The state of a group that lives by the modern rules. */
    static String of(Group group) {
        if (group.settling()) {
            return "Assigning";
        }
        return group.reconciled() ? "Stable" : "Reconciling";
    }

    /** The name in DescribeGroups, which knows the states of the classic protocol only. */
    static String ofClassic(GroupStatus state) {
        return state == GroupStatus.RECONCILING ? "PreparingRebalance" : of(state);
    }

    static String of(GroupStatus state) {
        return switch (state) {
            case EMPTY -> "Empty";
            case JOINING -> "PreparingRebalance";
            case ASSIGNING -> "CompletingRebalance";
            case RECONCILING -> "Reconciling";
            case STABLE -> "Stable";
            case DELETED -> DEAD;
            case DAMAGED -> DAMAGED;
        };
    }
}
