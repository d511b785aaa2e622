package dev.muster.core.group.model;

import java.time.Duration;

/**
 * The number of members that a group should have before it assigns partitions. It concerns only the forming of the
 * group and is not a quorum. Once the group has formed, members come and go as usual, until the group begins again
 * without members.
 *
 * @param within longest wait since the first member joined; then the group begins with the members that it has
 */
public record Expectation(int members, Duration within) {
    /** The default for the longest wait. */
    public static final Duration WITHIN = Duration.ofSeconds(10);

    public Expectation {
        if (members < 1) {
            throw new IllegalArgumentException("at least one member is expected, not " + members);
        }
        if (!within.isPositive()) {
            throw new IllegalArgumentException("the time to wait for members is positive: " + within);
        }
    }

    /** True if a group with this number of members need not wait. */
    public boolean isMetBy(int count) {
        return count >= members;
    }
}
