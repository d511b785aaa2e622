package dev.muster.core.group.classic;

import java.util.OptionalLong;

/**
 * A member as the group knows it.
 *
 * @param joinedAt wall time, for people
 * @param fresh whether it was in no generation yet
 * @param waiting whether it is at the barrier: it joined, and the next generation is its answer
 * @param synced whether it asked for its assignment of this generation
 * @param assignment what the leader gave it last
 * @param away set while the process that served it is gone: the token of its going
 */
public record ClassicMember(
        ClassicSpec spec,
        long joinedAt,
        boolean fresh,
        boolean waiting,
        boolean synced,
        Opaque assignment,
        OptionalLong away) {

    static ClassicMember joined(ClassicSpec spec, long at) {
        return new ClassicMember(spec, at, true, true, false, Opaque.EMPTY, OptionalLong.empty());
    }

    /** Whether it stays in the group although it did not come back to a rebalance in time. */
    boolean keepsItsPlace() {
        return spec.isStatic();
    }

    ClassicMember back(ClassicSpec now) {
        return new ClassicMember(now, joinedAt, fresh, true, false, assignment, OptionalLong.empty());
    }

    /** Its place, under another id. */
    ClassicMember replacedBy(ClassicSpec now, boolean waits, long at) {
        return new ClassicMember(now, at, false, waits, synced, assignment, OptionalLong.empty());
    }

    /** A rebalance begins: what was handed out and not yet asked for is void. */
    ClassicMember recalled(boolean forgetAssignment) {
        return new ClassicMember(
                spec, joinedAt, fresh, waiting, false, forgetAssignment ? Opaque.EMPTY : assignment, away);
    }

    /** A generation is there, which answers its join. */
    ClassicMember answered() {
        return new ClassicMember(spec, joinedAt, false, false, false, assignment, away);
    }

    ClassicMember assigned(Opaque given) {
        return new ClassicMember(spec, joinedAt, fresh, waiting, synced, given, away);
    }

    ClassicMember asked() {
        return new ClassicMember(spec, joinedAt, fresh, waiting, true, assignment, away);
    }

    ClassicMember goneAway(long token) {
        return new ClassicMember(spec, joinedAt, fresh, waiting, synced, assignment, OptionalLong.of(token));
    }

    ClassicMember adopted(ClassicSpec now) {
        return new ClassicMember(now, joinedAt, fresh, waiting, synced, assignment, OptionalLong.empty());
    }
}
