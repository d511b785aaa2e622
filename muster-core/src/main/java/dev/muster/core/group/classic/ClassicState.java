package dev.muster.core.group.classic;

/** The states of a group under the classic rules, with the names of Kafka's tools. */
public enum ClassicState {
    /** The group has no members. It may have offsets. */
    EMPTY("Empty"),
    /** Joins are parked until all members are back, or their time is over. */
    PREPARING_REBALANCE("PreparingRebalance"),
    /** A generation was made, and its leader has not assigned yet. */
    COMPLETING_REBALANCE("CompletingRebalance"),
    /** Every member may ask for its assignment. */
    STABLE("Stable"),
    /** The group was deleted. */
    DEAD("Dead");

    private final String text;

    ClassicState(String text) {
        this.text = text;
    }

    @Override
    public String toString() {
        return text;
    }
}
