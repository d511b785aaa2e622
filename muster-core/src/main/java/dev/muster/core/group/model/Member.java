package dev.muster.core.group.model;

import dev.muster.core.TopicPartition;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.SortedSet;

/**
 * A member as the group knows it.
 *
 * @param joinedAt wall time, for people
 * @param target partitions that it should own
 * @param owned partitions that it owns, so that it may read and commit them; those outside the target must be released
 * @param recalled partitions that it owns and must release, even if it gets them back, because their offset was set by
 *     hand
 * @param revokingSince oldest generation that wants something back which the member still has
 * @param away token of its absence; set while a static or remote member is gone and may come back
 */
public record Member(
        MemberSpec spec,
        long joinedAt,
        SortedSet<TopicPartition> target,
        SortedSet<TopicPartition> owned,
        SortedSet<TopicPartition> recalled,
        OptionalLong revokingSince,
        OptionalLong away) {

    public Member(MemberSpec spec, long joinedAt) {
        this(
                spec,
                joinedAt,
                PartitionSets.NONE,
                PartitionSets.NONE,
                PartitionSets.NONE,
                OptionalLong.empty(),
                OptionalLong.empty());
    }

    /** The partitions that the member must release. */
    public SortedSet<TopicPartition> toRelease() {
        return PartitionSets.filter(owned, partition -> !target.contains(partition) || recalled.contains(partition));
    }

    /** True if the member owns its target and must release nothing. */
    public boolean settled() {
        return recalled.isEmpty() && target.equals(owned);
    }

    /**
     * True if the member is gone and has nothing in hand: its process is dead, or it left. False for a remote member,
     * which may continue processing at the far end of its connection.
     */
    public boolean emptyHanded() {
        return away.isPresent() && !spec.remote();
    }

    public Member with(
            SortedSet<TopicPartition> newTarget,
            SortedSet<TopicPartition> newOwned,
            SortedSet<TopicPartition> newRecalled,
            OptionalLong since) {
        return new Member(spec, joinedAt, newTarget, newOwned, newRecalled, since, away);
    }

    /**
     * @param revoking partitions that their owner must release, and the generation since which it must; of all members
     */
    public Member with(
            SortedSet<TopicPartition> newTarget,
            SortedSet<TopicPartition> newOwned,
            SortedMap<TopicPartition, Long> revoking,
            SortedMap<TopicPartition, Long> recalledOfAll) {
        OptionalLong since = OptionalLong.empty();
        for (TopicPartition partition : newOwned) {
            Long wanted = revoking.get(partition);
            if (wanted != null && (since.isEmpty() || wanted < since.getAsLong())) {
                since = OptionalLong.of(wanted);
            }
        }
        return with(
                newTarget,
                newOwned,
                PartitionSets.filter(newOwned, partition -> recalledOfAll.containsKey(partition)),
                since);
    }

    public Member goneAway(long token) {
        return new Member(spec, joinedAt, target, owned, recalled, revokingSince, OptionalLong.of(token));
    }

    /** The same place, with a new description. */
    public Member returned(MemberSpec now, long at) {
        return new Member(now, at, target, owned, recalled, revokingSince, OptionalLong.empty());
    }

    public Member subscribed(Subscription subscription) {
        return new Member(spec.with(subscription), joinedAt, target, owned, recalled, revokingSince, away);
    }
}
