package dev.muster.core.group;

import dev.muster.core.TopicPartition;
import java.util.OptionalLong;
import java.util.SortedSet;

/**
 * A member as the group knows it.
 *
 * @param joinedAt wall time, for people
 * @param target what it should own
 * @param owned what it owns: it may read and commit these. What is owned and not in the target it must let go of
 * @param revokingSince the generation since which it should let go of something
 * @param away set while a static (or adopted) member is gone and may come back: the token of its going
 */
public record Member(
        MemberSpec spec,
        long joinedAt,
        SortedSet<TopicPartition> target,
        SortedSet<TopicPartition> owned,
        OptionalLong revokingSince,
        OptionalLong away) {

    /** What it must let go of. */
    public SortedSet<TopicPartition> toRelease() {
        var release = new java.util.TreeSet<>(owned);
        release.removeAll(target);
        return java.util.Collections.unmodifiableSortedSet(release);
    }
}
