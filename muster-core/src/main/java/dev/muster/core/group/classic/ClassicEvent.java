package dev.muster.core.group.classic;

import dev.muster.core.MemberId;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.model.CommittedOffset;
import dev.muster.core.group.model.HostId;
import dev.muster.core.group.model.LeaveCause;
import dev.muster.core.group.model.Opaque;
import java.time.Duration;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;

/** The events of a group under the classic rules. Immutable: maps are copied. */
public sealed interface ClassicEvent {
    /** A client was given an id and is expected to join with it. */
    record IdGiven(MemberId member, Duration session) implements ClassicEvent {}

    /** A given id is void: its client joined the modern group, left or came too late, or too many ids were given. */
    record IdDropped(MemberId member) implements ClassicEvent {}

    /**
     * A new member joined and waits at the barrier.
     *
     * @param predicate act of the member, in plain words
     */
    record Joined(ClassicSpec member, String predicate) implements ClassicEvent {}

    /**
     * A known member joined again and waits at the barrier.
     *
     * @param changed its new description; empty if nothing changed
     * @param why reason for a new generation, in plain words; empty if the member came because of a rebalance
     */
    record Rejoined(MemberId member, Optional<ClassicSpec> changed, Optional<String> why) implements ClassicEvent {}

    /**
     * A new membership with the same instance id took the place of a static member.
     *
     * @param waiting True if it waits at the barrier; otherwise nothing changes for the other members
     */
    record Replaced(MemberId old, ClassicSpec now, boolean waiting, Optional<String> why) implements ClassicEvent {}

    /**
     * A rebalance began: all members should come to the barrier.
     *
     * @param after time that members have
     * @param atMost longest time in all; set if the group was empty, see {@link RebalanceTimeouts}
     */
    record RebalanceBegan(Duration after, Optional<Duration> atMost) implements ClassicEvent {}

    /** No member came back to the rebalance, and the remaining ones are static: they get more time. */
    record RebalanceExtended(Duration after) implements ClassicEvent {}

    /**
     * A new generation was made from the members at the barrier. It is the answer to all waiting joins.
     *
     * @param protocol protocol of the generation; empty, like the leader, if no member is left
     * @param cause reason for the new generation, in plain words
     * @param after time that members have to ask for their assignment
     */
    record GenerationFormed(
            long generation, Optional<String> protocol, Optional<MemberId> leader, String cause, Duration after)
            implements ClassicEvent {}

    /**
     * The leader assigned.
     *
     * @param assignment bytes for each member; a member without an entry gets nothing
     * @param partitions partitions in the assignment, for members whose bytes could be read
     * @param onlyPartitions True if the assignment means these partitions and nothing else
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

    /** A membership ended. */
    record Left(MemberId member, LeaveCause cause, String reason) implements ClassicEvent {}

    /**
     * A member went away and keeps its place for one session.
     *
     * @param cause death of the process that served it, or, for a static member, loss of its connection
     */
    record Away(MemberId member, LeaveCause cause) implements ClassicEvent {}

    /** Another process serves the member now. */
    record Adopted(MemberId member, HostId host) implements ClassicEvent {}

    /** @param member committing member; empty if the consumer is not a member */
    record Committed(Optional<MemberId> member, SortedMap<TopicPartition, CommittedOffset> offsets)
            implements ClassicEvent {
        public Committed {
            offsets = Collections.unmodifiableSortedMap(new TreeMap<>(offsets));
        }
    }
}
