package dev.muster.core.group;

import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import java.util.SortedMap;
import java.util.SortedSet;

/** What happened to a group. */
public sealed interface Event {
    record MemberJoined(MemberSpec member) implements Event {}

    /** A static member came back: the place of the old membership is the new one's. */
    record MemberReturned(MemberId old, MemberSpec now) implements Event {}

    /** A member that may come back went. */
    record MemberAway(MemberId member, LeaveCause cause) implements Event {}

    /** A member is out; what it owned is free. */
    record MemberLeft(MemberId member, LeaveCause cause) implements Event {}

    record MemberSubscribed(MemberId member, Subscription subscription) implements Event {}

    /** All topics that the group reads, as they are now. Those missing, or with another id, lost owners and offsets. */
    record TopicsChanged(SortedMap<TopicName, TopicShape> topics) implements Event {}

    /**
     * A new generation: who should own what from now on.
     *
     * @param targets complete: who is not in it should own nothing
     * @param cause why there is a new generation, in plain words
     * @param assignor who made the targets
     * @param reason the assignor's own words
     */
    record Rebalanced(
            long generation,
            SortedMap<MemberId, SortedSet<TopicPartition>> targets,
            String cause,
            String assignor,
            String reason)
            implements Event {}

    /** A member let go. */
    record Released(MemberId member, SortedSet<TopicPartition> partitions) implements Event {}

    /** Partitions that were free have an owner now. */
    record Granted(MemberId member, SortedSet<TopicPartition> partitions) implements Event {}

    record Committed(MemberId member, SortedMap<TopicPartition, CommittedOffset> offsets) implements Event {}

    /** Offsets set by hand. */
    record OffsetsReset(SortedMap<TopicPartition, CommittedOffset> offsets) implements Event {}

    record OffsetsForgotten(SortedSet<TopicPartition> partitions) implements Event {}

    record GroupDeleted() implements Event {}
}
