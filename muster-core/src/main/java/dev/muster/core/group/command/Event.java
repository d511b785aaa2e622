package dev.muster.core.group.command;

import dev.muster.core.MemberId;
import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.classic.ClassicEvent;
import dev.muster.core.group.model.CommittedOffset;
import dev.muster.core.group.model.Expectation;
import dev.muster.core.group.model.LeaveCause;
import dev.muster.core.group.model.MemberSpec;
import dev.muster.core.group.model.SharedMap;
import dev.muster.core.group.model.Subscription;
import dev.muster.core.group.model.TopicShape;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.SortedSet;

/** The events of a group. Immutable: maps are copied. */
public sealed interface Event {
    record MemberJoined(MemberSpec member) implements Event {}

    /** A static member came back. The new membership has the place of the old one. */
    record MemberReturned(MemberId old, MemberSpec now) implements Event {}

    /** A member that may come back went away. */
    record MemberAway(MemberId member, LeaveCause cause) implements Event {}

    /**
     * A membership ended. The partitions that the member owned are free.
     *
     * @param lastSign wall time of the last sign of life of its process, if that died or fell silent; empty if not
     *     known. For people: partitions count as without an owner from then on
     */
    record MemberLeft(MemberId member, LeaveCause cause, OptionalLong lastSign) implements Event {
        public MemberLeft(MemberId member, LeaveCause cause) {
            this(member, cause, OptionalLong.empty());
        }
    }

    /**
     * A member that was expelled because its connection was lost is alive: it sent a request as if it were still in the
     * group.
     */
    record FalseAlarm(MemberId member) implements Event {}

    record MemberSubscribed(MemberId member, Subscription subscription) implements Event {}

    /**
     * All topics that the group reads, as they are now. A topic that is missing, or has another id, lost its owners and
     * offsets.
     */
    record TopicsChanged(SortedMap<TopicName, TopicShape> topics) implements Event {
        public TopicsChanged {
            topics = SharedMap.copyOf(topics);
        }
    }

    /**
     * A new generation, with the partitions that each member should own from now on.
     *
     * @param targets targets of all members; a member without an entry should own nothing
     * @param cause reason for the new generation, in plain words
     * @param assignor name of the assignor that made the targets
     * @param reason the assignor's explanation
     */
    record Rebalanced(
            long generation,
            SortedMap<MemberId, SortedSet<TopicPartition>> targets,
            String cause,
            String assignor,
            String reason)
            implements Event {
        public Rebalanced {
            targets = SharedMap.copyOf(targets);
        }
    }

    /** A member released partitions. */
    record Released(MemberId member, SortedSet<TopicPartition> partitions) implements Event {}

    /** A member got partitions that were free. */
    record Granted(MemberId member, SortedSet<TopicPartition> partitions) implements Event {}

    record Committed(MemberId member, SortedMap<TopicPartition, CommittedOffset> offsets) implements Event {
        public Committed {
            offsets = SharedMap.copyOf(offsets);
        }
    }

    /** Offsets were set by hand. */
    record OffsetsReset(SortedMap<TopicPartition, CommittedOffset> offsets) implements Event {
        public OffsetsReset {
            offsets = SharedMap.copyOf(offsets);
        }
    }

    /**
     * Offsets were set by hand while members read. In the new generation each member should own the same partitions as
     * before. The owner of one of these partitions must release it, and its commits of it do not count any more.
     *
     * @param cause origin of the reset and its reason, in plain words
     */
    record Rewound(long generation, SortedMap<TopicPartition, CommittedOffset> offsets, String cause) implements Event {
        public Rewound {
            offsets = SharedMap.copyOf(offsets);
        }
    }

    /**
     * The number of members that the group waits for each time it begins without members changed. Empty if it does not
     * wait.
     */
    record MembersExpected(Optional<Expectation> expectation) implements Event {}

    /** The first member joined, and the group waits for others before it gives any partition to a member. */
    record FormingBegan(Expectation expectation) implements Event {}

    /**
     * The group stopped waiting for members.
     *
     * @param predicate reason, in plain words, with the group as its subject
     */
    record Formed(String predicate) implements Event {}

    record OffsetsForgotten(SortedSet<TopicPartition> partitions) implements Event {}

    record GroupDeleted() implements Event {}

    /**
     * All members of the classic rules follow the modern rules from now on.
     *
     * @param inHand partitions that each member may be processing; the member becomes their owner
     * @param cause reason for the change, in plain words
     */
    record BecameModern(SortedMap<MemberId, SortedSet<TopicPartition>> inHand, String cause) implements Event {
        public BecameModern {
            inHand = SharedMap.copyOf(inHand);
        }
    }

    /** Only members that use the classic protocol are left, and they follow the classic rules from now on. */
    record BecameClassic(String cause) implements Event {}

    /** An event of the classic rules. */
    record Classic(ClassicEvent event) implements Event {}
}
