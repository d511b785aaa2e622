package dev.muster.core.group.model;

/**
 * One membership. Given anew with every join, so a member that was expelled and comes back is not the one that left;
 * only remote members bring theirs along, and what they owned before they own no more.
 */
public record MemberId(String value) implements Comparable<MemberId> {
    public MemberId {
        if (value.isEmpty()) {
            throw new IllegalArgumentException("a member id is not empty");
        }
    }

    @Override
    public int compareTo(MemberId other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }
}
