package dev.muster.core.group.model;

import java.time.Duration;

/**
 * How many members a group should have before it assigns anything. It is about forming, not about a quorum: once the
 * group has formed, members come and go as ever, until it begins again with nobody.
 *
 * @param within after so long since its first member came the group begins with those that are there
 */
public record Expectation(int members, Duration within) {
    /** How long a group waits unless told. */
    public static final Duration WITHIN = Duration.ofSeconds(10);

    public Expectation {
        if (members < 1) {
            throw new IllegalArgumentException("at least one member is expected, not " + members);
        }
        if (!within.isPositive()) {
            throw new IllegalArgumentException("the time to wait for members is positive: " + within);
        }
    }

    /** Whether a group of so many need not wait. */
    public boolean isMetBy(int count) {
        return count >= members;
    }
}
