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
 * @param fresh True if the member was in no generation yet
 * @param waiting True if the member is at the barrier: it joined, and the next generation is the answer
 * @param synced True if the member asked for its assignment of this generation
 * @param resumed True if the member was in the group under the modern rules and nothing was assigned since; it may name
 *     an older generation, and still owns what it has
 * @param assignment bytes that the leader gave it last
 * @param assignedPartitions partitions that the assignment means; empty if only the members can know
 * @param away token of its going; set while the member, or the process that served it, is gone
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
     * A member that was in the group under the modern rules and should come to the barrier.
     *
     * @param owned partitions that it may have in hand
     */
    public static ClassicMember resumed(
            ClassicSpec spec, long joinedAt, SortedSet<TopicPartition> owned, OptionalLong away) {
        return new ClassicMember(spec, joinedAt, false, false, false, true, Opaque.EMPTY, Optional.of(owned), away);
    }

    /** True if the member stays in the group even if it does not come back to a rebalance in time. */
    boolean keepsItsPlace() {
        return spec.isStatic();
    }

    ClassicMember rejoined(ClassicSpec now) {
        return new ClassicMember(
                now, joinedAt, fresh, true, false, resumed, assignment, assignedPartitions, OptionalLong.empty());
    }

    /** The same place under another id. */
    ClassicMember replacedBy(ClassicSpec now, boolean waits, long at) {
        return new ClassicMember(
                now, at, false, waits, synced, resumed, assignment, assignedPartitions, OptionalLong.empty());
    }

    /**
     * The member when a rebalance begins.
     *
     * @param forgetAssignment true if the present generation has no assignments yet
     */
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

    /** A generation was made, which answers the member's join. */
    ClassicMember withJoinAnswered() {
        return new ClassicMember(spec, joinedAt, false, false, false, resumed, assignment, assignedPartitions, away);
    }

    /** @param meaning all partitions that the assignment means; empty if it could not be read */
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
