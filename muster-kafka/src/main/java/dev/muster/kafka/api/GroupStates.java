package dev.muster.kafka.api;

import dev.muster.core.group.classic.ClassicState;

/** The states of a group as Kafka's tools know them. */
final class GroupStates {
    static final String DEAD = "Dead";

    private GroupStates() {}

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
