package dev.muster.engine.group;

import dev.muster.core.TopicPartition;
import dev.muster.core.group.Member;
import dev.muster.core.group.Told;
import dev.muster.core.group.classic.Reading;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedSet;

/**
 * What was said between us and a member that speaks the classic protocol, as far as it tells what the member has. With
 * each join it begins anew: clients have done, by then, with everything that they were told before.
 *
 * @param connection it joined over
 * @param owned what it had when it joined
 * @param given what it was given since; empty: nothing yet
 * @param at of the join
 */
record ClassicTalk(
        long connection, SortedSet<TopicPartition> owned, Optional<SortedSet<TopicPartition>> given, long at) {
    static ClassicTalk join(ClassicRequest.Join join, long now) {
        return new ClassicTalk(
                join.connection(),
                join.reading().map(Reading::owned).orElse(Collections.emptySortedSet()),
                Optional.empty(),
                now);
    }

    ClassicTalk gave(SortedSet<TopicPartition> partitions) {
        return new ClassicTalk(connection, owned, Optional.of(partitions), at);
    }

    /** Whether the member has heard something else than is true now. One that is about to ask has not heard yet. */
    boolean isOld(Member member, Told told) {
        return given.isPresent()
                && (!member.toRelease().isEmpty() || !given.get().equals(told.partitions()));
    }
}
