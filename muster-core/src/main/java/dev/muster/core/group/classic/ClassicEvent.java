package dev.muster.core.group.classic;

import dev.muster.core.TopicPartition;
import dev.muster.core.group.model.CommittedOffset;
import dev.muster.core.group.model.HostId;
import dev.muster.core.group.model.LeaveCause;
import dev.muster.core.group.model.MemberId;
import dev.muster.core.group.model.Opaque;
import java.time.Duration;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;

/** What happened to a classic group. Values that nobody changes: maps are copied. */
public sealed interface ClassicEvent {
    /** Somebody was given an id and is expected to join with it. */
    record IdGiven(MemberId member, Duration session) implements ClassicEvent {}

    /** Nobody came with this id. */
    record IdDropped(MemberId member) implements ClassicEvent {}

    /**
     * A member came and waits at the barrier.
     *
     * @param what it did, in plain words
     */
    record Joined(ClassicSpec member, String what) implements ClassicEvent {}

    /**
     * A member that was there waits at the barrier.
     *
     * @param changed what it says of itself, when that is not what it said before
     * @param why this asks for a new generation, in plain words; empty: it came because of one
     */
    record Rejoined(MemberId member, Optional<ClassicSpec> changed, Optional<String> why) implements ClassicEvent {}

    /**
     * Another one came with the instance id of a static member and has its place.
     *
     * @param waiting whether it waits at the barrier; otherwise nothing changes for anybody else
     */
    record Replaced(MemberId old, ClassicSpec now, boolean waiting, Optional<String> why) implements ClassicEvent {}

    /**
     * All members should come to the barrier.
     *
     * @param after how long they have
     * @param atMost set when the group was empty: see {@link RebalanceTimeouts}
     */
    record RebalanceBegan(Duration after, Optional<Duration> atMost) implements ClassicEvent {}

    /** Nobody came back, and those who are left are static: they have some more time. */
    record RebalanceExtended(Duration after) implements ClassicEvent {}

    /**
     * The barrier is open: a new generation, which is the answer to all joins that wait.
     *
     * @param protocol empty, as is the leader: nobody is left
     * @param cause why there is a new generation, in plain words
     * @param after how long members have to ask for their assignment
     */
    record GenerationFormed(
            long generation, Optional<String> protocol, Optional<MemberId> leader, String cause, Duration after)
            implements ClassicEvent {}

    /**
     * The leader assigned.
     *
     * @param assignment by member; who is not in it gets nothing
     * @param partitions what that means, where somebody could read it
     * @param plain whether it means that and nothing else
     */
    record Assigned(
            long generation,
            SortedMap<MemberId, Opaque> assignment,
            SortedMap<MemberId, SortedSet<TopicPartition>> partitions,
            boolean onlyPartitions)
            implements ClassicEvent {
        public Assigned {
            assignment = Collections.unmodifiableSortedMap(new TreeMap<>(assignment));
            partitions = Collections.unmodifiableSortedMap(new TreeMap<>(partitions));
        }
    }

    /** A member asked for its assignment. */
    record Synced(MemberId member) implements ClassicEvent {}

    /** A member is out. */
    record Left(MemberId member, LeaveCause cause, String reason) implements ClassicEvent {}

    /**
     * A member keeps its place for a session, though it is not there.
     *
     * @param cause the process that served it is dead, or, of a static one, its connection was lost
     */
    record Away(MemberId member, LeaveCause cause) implements ClassicEvent {}

    /** Another process serves a member now. */
    record Adopted(MemberId member, HostId host) implements ClassicEvent {}

    /** @param member empty: a consumer that is no member */
    record Committed(Optional<MemberId> member, SortedMap<TopicPartition, CommittedOffset> offsets)
            implements ClassicEvent {
        public Committed {
            offsets = Collections.unmodifiableSortedMap(new TreeMap<>(offsets));
        }
    }
}
