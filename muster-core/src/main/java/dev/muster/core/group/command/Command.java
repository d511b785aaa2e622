package dev.muster.core.group.command;

import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.classic.ClassicCommand;
import dev.muster.core.group.model.CommittedOffset;
import dev.muster.core.group.model.Expectation;
import dev.muster.core.group.model.HostId;
import dev.muster.core.group.model.LeaveCause;
import dev.muster.core.group.model.MemberId;
import dev.muster.core.group.model.MemberSpec;
import dev.muster.core.group.model.Subscription;
import dev.muster.core.group.model.TopicShape;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;

/**
 * What a group can be asked.
 *
 * <p>Where a command tells what there is of topics, look at the topics <em>after</em> reading the state on which it is
 * decided, and look again when it must be decided anew: an older look could take a new topic for a deleted one, and
 * forget its offsets.
 */
public sealed interface Command {
    /**
     * A member comes. Joins do not bring a generation at once: those that arrive together are taken together by the
     * {@link Settle} that a timer asks for.
     *
     * @param topics what there is of the topics it subscribes to; one that is known and missing is deleted
     * @param expects how many members it waits for, should it be the first one; empty, or where somebody said so by
     *     hand: what the group expects
     */
    record Join(MemberSpec member, SortedMap<TopicName, TopicShape> topics, Optional<Expectation> expects)
            implements Command {
        public Join(MemberSpec member, SortedMap<TopicName, TopicShape> topics) {
            this(member, topics, Optional.empty());
        }
    }

    /** A member changes its mind about what to read. */
    record Subscribe(MemberId member, Subscription subscription, SortedMap<TopicName, TopicShape> topics)
            implements Command {}

    /** Joins have stopped arriving, or waited long enough: assign. Void unless {@code token} is the state's. */
    record Settle(long token) implements Command {}

    /** A member goes. A static one that means to come back keeps its place for its session. */
    record Leave(MemberId member, LeaveCause cause, boolean comesBack) implements Command {}

    /** A member let go of partitions that it was told to let go of. */
    record Release(MemberId member, Set<TopicPartition> partitions) implements Command {}

    /**
     * The kernel says that a process is dead.
     *
     * @param lastSign wall time of its last sign of life, for people; empty: not known
     */
    record HostDied(HostId host, OptionalLong lastSign) implements Command {
        public HostDied(HostId host) {
            this(host, OptionalLong.empty());
        }
    }

    /** A timer of {@link GroupTimer} ran out. Void unless the member still is in what the timer was for. */
    record Expire(GroupTimer.OfMember timer) implements Command {}

    /**
     * A host gave no sign of life for a member's whole session, seen by an observer; or a remote member gave none to
     * the host that serves it.
     *
     * @param lastSign wall time of the last sign of life, for people; empty: not known
     */
    record SessionExpired(MemberId member, HostId host, LeaveCause cause, OptionalLong lastSign) implements Command {
        public SessionExpired(MemberId member, HostId host, LeaveCause cause) {
            this(member, host, cause, OptionalLong.empty());
        }
    }

    /**
     * Somebody who is not in the group spoke as if he were. Void unless he was expelled for want of a connection: then
     * that was a false alarm.
     */
    record ReportFalseAlarm(MemberId member) implements Command {}

    /**
     * A server takes over the remote members of others that are gone: each has a session from now on to show itself.
     *
     * @param dead of whom the kernel says so, though nobody has written it down yet
     */
    record Adopt(HostId by, Set<HostId> dead) implements Command {}

    /**
     * What there is of the topics that the group reads; says nothing of others. One that a member subscribes to, by
     * name or by pattern, and that is missing is deleted: the group forgets it. A topic of
     * {@link dev.muster.core.group.Group#topics()} that nobody subscribes to may be given too, and may be left out.
     */
    record TopicsSeen(SortedMap<TopicName, TopicShape> topics) implements Command {}

    /** The owner of these partitions has come so far. Whole or not at all. */
    record Commit(MemberId member, long generation, SortedMap<TopicPartition, CommittedOffset> offsets)
            implements Command {}

    /**
     * Sets offsets by hand. Refused while a member of the group subscribes to the topic. That the partitions exist is
     * for the caller to see to.
     *
     * @param topics what there is of the topics whose offsets are set
     */
    record Reset(SortedMap<TopicPartition, CommittedOffset> offsets, SortedMap<TopicName, TopicShape> topics)
            implements Command {}

    /**
     * Sets offsets by hand while members may read: those who own one of these partitions let go of it and begin there
     * anew, in a generation of its own. What they commit of it before that is refused.
     *
     * @param topics what there is of the topics whose offsets are set
     * @param by who asks for it, for people
     * @param why in his words; may be empty
     */
    record Rewind(
            SortedMap<TopicPartition, CommittedOffset> offsets,
            SortedMap<TopicName, TopicShape> topics,
            String by,
            String why)
            implements Command {}

    /**
     * From now on the group waits for so many members each time it begins with nobody, also the time that it is in;
     * empty: for no one.
     */
    record Expect(Optional<Expectation> expectation) implements Command {}

    /**
     * A group that waits for members begins with those that are there.
     *
     * @param by who asks for it, for people
     */
    record Complete(String by) implements Command {}

    /** A group has waited for members as long as it may. Void unless {@code token} is the state's. */
    record FormingOver(long token) implements Command {}

    /** Forgets offsets by hand. Refused while a member of the group subscribes to the topic. */
    record Forget(Set<TopicPartition> partitions) implements Command {}

    /** Ends the group. Refused while it has members. */
    record Delete() implements Command {}

    /**
     * A command of the classic rules.
     *
     * @param topics what there is of the topics it is about; says nothing of others
     */
    record Classic(ClassicCommand command, SortedMap<TopicName, TopicShape> topics) implements Command {}
}
