package dev.muster.core.group.model;

/**
 * A remote member was expelled because its connection was lost, and it lived: later it spoke as if it still were a
 * member.
 *
 * @param member its id then; a classic one comes back under another
 * @param generation in which it was expelled: the next one gave to others what it had
 * @param at when it spoke, wall time, for people
 */
public record FalseAlarm(MemberId member, Origin origin, long generation, long at) {
    /** The name for people, where there is one. */
    public String label() {
        return origin.client().isEmpty() ? member.value() : origin.client();
    }

    /** The generation whose cause, or one of them, it was. */
    public long replacedBy() {
        return generation + 1;
    }
}
