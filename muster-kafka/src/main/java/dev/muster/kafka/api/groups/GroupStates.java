package dev.muster.kafka.api.groups;

import dev.muster.core.group.Group;
import dev.muster.core.group.classic.ClassicState;

/** The states of a group as Kafka's tools know them. */
final class GroupStates {
    static final String DEAD = "Dead";
    /** Not a state of Kafka's: its tools show a state that they do not know as {@code Unknown}. */
    static final String DAMAGED = "Damaged";

    private GroupStates() {}

    /** Of a group whose members live by the modern rules. */
    static String of(Group group) {
        if (group.settling()) {
            return "Assigning";
        }
        return group.quiet() ? "Stable" : "Reconciling";
    }

    /** Of the summary of such a group. */
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
