package dev.muster.core.group.classic;

/** Where a classic group stands, in the words of Kafka's tools. */
public enum ClassicState {
    /** No members. It may have offsets. */
    EMPTY("Empty"),
    /** Joins are parked until all members are back, or have had their time. */
    PREPARING_REBALANCE("PreparingRebalance"),
    /** There is a generation, and its leader has not assigned yet. */
    COMPLETING_REBALANCE("CompletingRebalance"),
    /** Everybody may have his assignment. */
    STABLE("Stable"),
    /** Deleted. */
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
