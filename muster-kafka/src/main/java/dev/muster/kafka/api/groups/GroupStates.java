package dev.muster.kafka.api.groups;

import dev.muster.core.group.Group;
import dev.muster.core.group.classic.ClassicState;

/** The names of group states that Kafka's tools know. */
final class GroupStates {
    static final String DEAD = "Dead";
    /** Not a state of Kafka. Its tools show unknown states as {@code Unknown}. */
    static final String DAMAGED = "Damaged";

    private GroupStates() {}

    /** The state of a group that lives by the modern rules. */
    static String of(Group group) {
        if (group.settling()) {
            return "Assigning";
        }
        return group.reconciled() ? "Stable" : "Reconciling";
    }

    /** The same, from the summary of such a group. */
    static String ofModern(ClassicState state) {
        return state == ClassicState.PREPARING_REBALANCE ? "Reconciling" : of(state);
    }

    static String of(ClassicState state) {
        return switch (state) {
            case EMPTY -> "Empty";
            case PREPARING_REBALANCE -> "PreparingRebalance";
            case COMPLETING_REBALANCE -> "CompletingRebalance";
            case STABLE -> "Stable";
            case DEAD -> DEAD;
        };
    }
}
