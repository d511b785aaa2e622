package dev.muster.core.group.model;

import dev.muster.core.Counts;
import java.time.Instant;

/**
 * A group that has its first members and waits for the others: nobody is given anything yet.
 *
 * @param token of this waiting: a timer for another one is void
 * @param since wall time at which it began, for people
 */
public record Forming(Expectation expectation, long token, long since) {
    /** When the group begins with those that are there, as far as wall time can tell; for people. */
    public Instant completesAt() {
        return Instant.ofEpochMilli(since).plus(expectation.within());
    }

    /** For people: {@code 3 of 5 members}. */
    public String count(int members) {
        return members + " of " + Counts.of(expectation.members(), "member");
    }
}
