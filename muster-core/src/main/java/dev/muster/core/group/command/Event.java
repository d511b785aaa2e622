package dev.muster.core.group.command;

import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.classic.ClassicEvent;
import dev.muster.core.group.model.CommittedOffset;
import dev.muster.core.group.model.Expectation;
import dev.muster.core.group.model.LeaveCause;
import dev.muster.core.group.model.MemberId;
import dev.muster.core.group.model.MemberSpec;
import dev.muster.core.group.model.SharedMap;
import dev.muster.core.group.model.Subscription;
import dev.muster.core.group.model.TopicShape;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.SortedSet;

/** What happened to a group. Values that nobody changes: maps are copied. */
public sealed interface Event {
    record MemberJoined(MemberSpec member) implements Event {}

    /** A static member came back: the place of the old membership is the new one's. */
    record MemberReturned(MemberId old, MemberSpec now) implements Event {}

    /** A member that may come back went. */
    record MemberAway(MemberId member, LeaveCause cause) implements Event {}

    /**
     * A member is out; what it owned is free.
     *
     * @param lastSign wall time of the last sign of life of its process, when that died or was silent; empty: not
     *     known. For people: partitions count as without an owner from then on
     */
    record MemberLeft(MemberId member, LeaveCause cause, OptionalLong lastSign) implements Event {
        public MemberLeft(MemberId member, LeaveCause cause) {
            this(member, cause, OptionalLong.empty());
        }
    }

    /** A member that was expelled for want of a connection lived: it spoke as if it still were in the group. */
    record FalseAlarm(MemberId member) implements Event {}

    record MemberSubscribed(MemberId member, Subscription subscription) implements Event {}

    /** All topics that the group reads, as they are now. Those missing, or with another id, lost owners and offsets. */
    record TopicsChanged(SortedMap<TopicName, TopicShape> topics) implements Event {
        public TopicsChanged {
            topics = SharedMap.copyOf(topics);
        }
    }

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
            implements Event {
        public Rebalanced {
            targets = SharedMap.copyOf(targets);
        }
    }

    /** A member let go. */
    record Released(MemberId member, SortedSet<TopicPartition> partitions) implements Event {}

    /** Partitions that were free have an owner now. */
    record Granted(MemberId member, SortedSet<TopicPartition> partitions) implements Event {}

    record Committed(MemberId member, SortedMap<TopicPartition, CommittedOffset> offsets) implements Event {
        public Committed {
            offsets = SharedMap.copyOf(offsets);
        }
    }

    /** Offsets set by hand. */
    record OffsetsReset(SortedMap<TopicPartition, CommittedOffset> offsets) implements Event {
        public OffsetsReset {
            offsets = SharedMap.copyOf(offsets);
        }
    }

    /**
     * Offsets set by hand while members read: a new generation in which everybody should own what he should before.
     * Whoever owns one of these partitions has to let go of it, and its commits of it do not count any more.
     *
     * @param cause who did so and why, in plain words
     */
    record Rewound(long generation, SortedMap<TopicPartition, CommittedOffset> offsets, String cause) implements Event {
        public Rewound {
            offsets = SharedMap.copyOf(offsets);
        }
    }

    /** How many members the group waits for whenever it begins with nobody; empty: none. */
    record MembersExpected(Optional<Expectation> expectation) implements Event {}

    /** The first member came, and the group waits for others before anybody is given anything. */
    record FormingBegan(Expectation expectation) implements Event {}

    /**
     * The group does not wait for members any more.
     *
     * @param what why not, as said of the group
     */
    record Formed(String what) implements Event {}

    record OffsetsForgotten(SortedSet<TopicPartition> partitions) implements Event {}

    record GroupDeleted() implements Event {}

    /**
     * All who lived by the classic rules live by the modern ones from now on.
     *
     * @param hands what each of them may be working, by member: it owns that
     * @param because in plain words
     */
    record BecameModern(SortedMap<MemberId, SortedSet<TopicPartition>> inHand, String cause) implements Event {
        public BecameModern {
            inHand = SharedMap.copyOf(inHand);
        }
    }

    /** Only members that speak the classic protocol are left, and live by its rules from now on. */
    record BecameClassic(String cause) implements Event {}

    /** Something happened by the classic rules. */
    record Classic(ClassicEvent event) implements Event {}
}
