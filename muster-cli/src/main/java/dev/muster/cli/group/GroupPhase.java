package dev.muster.cli.group;

import dev.muster.core.group.Group;

/** What a group is about, in Kafka's words: those for groups whose coordinator assigns, and those for classic ones. */
public enum GroupPhase {
    /** No members; offsets stay. */
    EMPTY("Empty"),
    /** It has its first members and waits for the others; nobody is given anything yet. */
    FORMING("Forming"),
    /** Members came or went, and the next generation is about to be made. */
    ASSIGNING("Assigning"),
    /** Some partitions are on their way to their new owner. */
    RECONCILING("Reconciling"),
    /** Classic: members should come back. */
    PREPARING_REBALANCE("PreparingRebalance"),
    /** Classic: the leader should assign. */
    COMPLETING_REBALANCE("CompletingRebalance"),
    /** Everybody owns what he should. */
    STABLE("Stable");

    private final String word;

    GroupPhase(String word) {
        this.word = word;
    }

    public static GroupPhase of(Group group) {
        if (group.members().isEmpty()) {
            return switch (group.classic().state()) {
                case PREPARING_REBALANCE -> PREPARING_REBALANCE;
                case COMPLETING_REBALANCE -> COMPLETING_REBALANCE;
                case STABLE -> STABLE;
                case EMPTY, DEAD -> EMPTY;
            };
        }
        if (group.forming().isPresent()) {
            return FORMING;
        }
        if (group.settling()) {
            return ASSIGNING;
        }
        return group.quiet() ? STABLE : RECONCILING;
    }

    @Override
    public String toString() {
        return word;
    }
}
