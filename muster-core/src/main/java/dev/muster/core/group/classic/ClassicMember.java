package dev.muster.core.group.classic;

import dev.muster.core.TopicPartition;
import dev.muster.core.group.model.Opaque;
import java.util.Collections;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedSet;

/**
 * A member as the group knows it.
 *
 * @param joinedAt wall time, for people
 * @param fresh whether it was in no generation yet
 * @param waiting whether it is at the barrier: it joined, and the next generation is its answer
 * @param synced whether it asked for its assignment of this generation
 * @param resumed whether it was in the group when that lived by the modern rules and nothing was assigned since: it may
 *     speak of an older generation, and what it has is its own all the same
 * @param assignment what the leader gave it last
 * @param given all that the assignment means; empty: that is for the members to know
 * @param away set while it, or the process that served it, is gone: the token of its going
 */
public record ClassicMember(
        ClassicSpec spec,
        long joinedAt,
        boolean fresh,
        boolean waiting,
        boolean synced,
        boolean resumed,
        Opaque assignment,
        Optional<SortedSet<TopicPartition>> assignedPartitions,
        OptionalLong away) {
    private static final Optional<SortedSet<TopicPartition>> NOTHING = Optional.of(Collections.emptySortedSet());

    static ClassicMember joined(ClassicSpec spec, long at) {
        return new ClassicMember(spec, at, true, true, false, false, Opaque.EMPTY, NOTHING, OptionalLong.empty());
    }

    /**
     * One that was in the group by the modern rules, and should come to the barrier.
     *
     * @param owned what it may have in hand
     */
    public static ClassicMember resumed(
            ClassicSpec spec, long joinedAt, SortedSet<TopicPartition> owned, OptionalLong away) {
        return new ClassicMember(spec, joinedAt, false, false, false, true, Opaque.EMPTY, Optional.of(owned), away);
    }

    /** Whether it stays in the group although it did not come back to a rebalance in time. */
    boolean keepsItsPlace() {
        return spec.isStatic();
    }

    ClassicMember rejoined(ClassicSpec now) {
        return new ClassicMember(
                now, joinedAt, fresh, true, false, resumed, assignment, assignedPartitions, OptionalLong.empty());
    }

    /** Its place, under another id. */
    ClassicMember replacedBy(ClassicSpec now, boolean waits, long at) {
        return new ClassicMember(
                now, at, false, waits, synced, resumed, assignment, assignedPartitions, OptionalLong.empty());
    }

    /** A rebalance begins: what was handed out and not yet asked for is void. */
    ClassicMember rebalancing(boolean forgetAssignment) {
        return new ClassicMember(
                spec,
                joinedAt,
                fresh,
                waiting,
                false,
                resumed,
                forgetAssignment ? Opaque.EMPTY : assignment,
                forgetAssignment ? NOTHING : assignedPartitions,
                away);
    }

    /** A generation is there, which answers its join. */
    ClassicMember withJoinAnswered() {
        return new ClassicMember(spec, joinedAt, false, false, false, resumed, assignment, assignedPartitions, away);
    }

    /** @param meaning all that this means, where somebody could read it */
    ClassicMember assigned(Opaque bytes, Optional<SortedSet<TopicPartition>> meaning) {
        return new ClassicMember(spec, joinedAt, fresh, waiting, synced, false, bytes, meaning, away);
    }

    ClassicMember withSynced() {
        return new ClassicMember(spec, joinedAt, fresh, waiting, true, resumed, assignment, assignedPartitions, away);
    }

    ClassicMember goneAway(long token) {
        return new ClassicMember(
                spec,
                joinedAt,
                fresh,
                waiting,
                synced,
                resumed,
                assignment,
                assignedPartitions,
                OptionalLong.of(token));
    }

    ClassicMember adopted(ClassicSpec now) {
        return new ClassicMember(
                now, joinedAt, fresh, waiting, synced, resumed, assignment, assignedPartitions, OptionalLong.empty());
    }
}
