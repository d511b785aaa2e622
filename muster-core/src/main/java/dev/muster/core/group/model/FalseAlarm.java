package dev.muster.core.group.model;

import dev.muster.core.MemberId;

/**
 * A remote member that was alive was expelled because its connection was lost. Later it sent a request as if it were
 * still a member.
 *
 * @param member id of the expelled membership; a classic member comes back under another
 * @param generation generation in which it was expelled; the next one gave its partitions to other members
 * @param at wall time of the request, for people
 */
public record FalseAlarm(MemberId member, Origin origin, long generation, long at) {
    /** A name for people: the client's, or the member id if that is empty. */
    public String label() {
        return origin.client().isEmpty() ? member.value() : origin.client();
    }

    /** The generation that the expulsion caused, alone or with other changes. */
    public long replacedBy() {
        return generation + 1;
    }
}
