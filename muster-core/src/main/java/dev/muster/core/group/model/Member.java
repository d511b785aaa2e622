package dev.muster.core.group.model;

import dev.muster.core.TopicPartition;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.SortedSet;

/**
 * A member as the group knows it.
 *
 * @param joinedAt wall time, for people
 * @param target what it should own
 * @param owned what it owns: it may read and commit these. What is owned and not in the target it must let go of
 * @param recalled what it owns and must let go of, whoever gets it next: its offset was set by hand
 * @param revokingSince the oldest generation that wants something back which the member still has
 * @param away set while a static (or remote) member is gone and may come back: the token of its going
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

    /** What it must let go of. */
    public SortedSet<TopicPartition> toRelease() {
        return PartitionSets.filter(owned, partition -> !target.contains(partition) || recalled.contains(partition));
    }

    /** Whether it owns what it should, and need not let go of anything. */
    public boolean settled() {
        return recalled.isEmpty() && target.equals(owned);
    }

    /**
     * Whether it is gone and has nothing in hand: its process is dead, or it said that it goes. One that is remote may
     * still work at the far end of its connection.
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

    /** @param revoking partitions that their owner must release, and since which generation; of all members */
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

    /** Its place, under what it says of itself now. */
    public Member returned(MemberSpec now, long at) {
        return new Member(now, at, target, owned, recalled, revokingSince, OptionalLong.empty());
    }

    public Member subscribed(Subscription subscription) {
        return new Member(spec.with(subscription), joinedAt, target, owned, recalled, revokingSince, away);
    }
}
