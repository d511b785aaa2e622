package dev.muster.core;

/**
 * The id of one membership. Every join makes a new one, so a member that was expelled and joins again has another id.
 * Only remote members bring their id along, and then no longer own what they owned before.
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
