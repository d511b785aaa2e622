package dev.muster.engine.group.session;

import dev.muster.core.TopicPartition;
import dev.muster.core.group.MemberAssignment;
import dev.muster.core.group.classic.ConsumerMetadata;
import dev.muster.core.group.model.Member;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedSet;

/**
 * What was said between us and a member that speaks the classic protocol, as far as it tells what the member has. With
 * each join it begins anew: clients have done, by then, with everything that they were told before.
 *
 * @param connection it joined over
 * @param owned what it had when it joined
 * @param admitted True if it was let in by the modern rules since, and so is about to ask what it gets
 * @param given what it was given since by those rules; empty: nothing yet
 * @param at of the join
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

    /** True if the member may have heard something else than is true now. One that is about to ask hears it then. */
    boolean isOld(Member member, MemberAssignment told) {
        return given.map(partitions -> !member.toRelease().isEmpty() || !partitions.equals(told.partitions()))
                .orElse(!admitted);
    }
}
