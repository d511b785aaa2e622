package dev.muster.engine.group.session;

import dev.muster.core.TopicPartition;
import dev.muster.core.group.MemberAssignment;
import dev.muster.core.group.classic.ConsumerMetadata;
import dev.muster.core.group.model.Member;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedSet;

/**
 * The exchange with a classic member in a modern group, as far as it shows which partitions the member has. It restarts
 * with each join: by then a client has finished with earlier answers.
 *
 * @param connection the connection of the join
 * @param owned the partitions that the member had when it joined
 * @param admitted True if the join was answered since; the member is about to ask for its assignment
 * @param given the partitions that the member was given since; empty if it was given no assignment yet
 * @param at the time of the join
 */
public record ClassicSession(
        long connection,
        SortedSet<TopicPartition> owned,
        boolean admitted,
        Optional<SortedSet<TopicPartition>> given,
        long at) {
    static ClassicSession join(ClassicRequest.Join join, long now) {
        return new ClassicSession(
                join.connection(),
                join.reading().map(ConsumerMetadata::owned).orElse(Collections.emptySortedSet()),
                false,
                Optional.empty(),
                now);
    }

    ClassicSession admits() {
        return new ClassicSession(connection, owned, true, Optional.empty(), at);
    }

    ClassicSession gave(SortedSet<TopicPartition> partitions) {
        return new ClassicSession(connection, owned, true, Optional.of(partitions), at);
    }

    /**
     * True if the member's last assignment differs from the present one. A member that is about to ask gets the present
     * one then.
     */
    boolean isOld(Member member, MemberAssignment assignment) {
        return given.map(partitions -> !member.toRelease().isEmpty() || !partitions.equals(assignment.partitions()))
                .orElse(!admitted);
    }
}
