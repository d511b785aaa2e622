package dev.muster.core.group.model;

import dev.muster.core.Counts;
import java.time.Instant;

/**
 * The wait of a group that has its first members for the other ones. Until it ends, no member gets a partition.
 *
 * @param token number of this wait; a timer with another one is void
 * @param since wall time at which the wait began, for people
 */
public record Forming(Expectation expectation, long token, long since) {
    /** The wall time at which the group begins with the members that it has. Only shown to people. */
    public Instant completesAt() {
        return Instant.ofEpochMilli(since).plus(expectation.within());
    }

    /** A text such as {@code 3 of 5 members}. */
    public String count(int members) {
        return members + " of " + Counts.of(expectation.members(), "member");
    }
}
