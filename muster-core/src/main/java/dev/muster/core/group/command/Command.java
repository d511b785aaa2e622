package dev.muster.core.group.command;

import dev.muster.core.MemberId;
import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.classic.ClassicCommand;
import dev.muster.core.group.model.CommittedOffset;
import dev.muster.core.group.model.Expectation;
import dev.muster.core.group.model.HostId;
import dev.muster.core.group.model.LeaveCause;
import dev.muster.core.group.model.MemberSpec;
import dev.muster.core.group.model.Subscription;
import dev.muster.core.group.model.TopicShape;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;

/**
 * The commands of a group.
 *
 * <p>Some commands bring the topics that exist. Look these up <em>after</em> reading the state on which the command is
 * decided, and again if it must be decided anew. An older look could take a new topic for a deleted one and forget its
 * offsets.
 */
public sealed interface Command {
    /**
     * A member joins. A join does not make a generation at once. Joins that arrive together get one generation, by the
     * {@link Settle} that the state's timer proposes.
     *
     * @param topics existing topics that the member subscribes to; a known topic that is missing here is deleted
     * @param expects number of members that the group should wait for if this is its first one; ignored if the group
     *     has an expectation that was set by hand
     */
    record Join(MemberSpec member, SortedMap<TopicName, TopicShape> topics, Optional<Expectation> expects)
            implements Command {
        public Join(MemberSpec member, SortedMap<TopicName, TopicShape> topics) {
            this(member, topics, Optional.empty());
        }
    }

    /** A member changes its subscription. */
    record Subscribe(MemberId member, Subscription subscription, SortedMap<TopicName, TopicShape> topics)
            implements Command {}

    /**
     * No more joins arrived, or they waited long enough: make the next generation. Ignored unless {@code token} is the
     * state's.
     */
    record Settle(long token) implements Command {}

    /** A member leaves. A static member that means to come back keeps its place for its session. */
    record Leave(MemberId member, LeaveCause cause, boolean comesBack) implements Command {}

    /** A member released partitions that it was told to release. */
    record Release(MemberId member, Set<TopicPartition> partitions) implements Command {}

    /**
     * A process is dead, as the kernel reports.
     *
     * @param lastSign wall time of its last sign of life, for people; empty if not known
     */
    record HostDied(HostId host, OptionalLong lastSign) implements Command {
        public HostDied(HostId host) {
            this(host, OptionalLong.empty());
        }
    }

    /** A timer of {@link GroupTimer} expired. Ignored if the member is not in the condition that the timer was for. */
    record Expire(GroupTimer.OfMember timer) implements Command {}

    /**
     * A host gave no sign of life for a member's whole session, as an observer reports, or a remote member gave none to
     * the host that serves it.
     *
     * @param lastSign wall time of the last sign of life, for people; empty if not known
     */
    record SessionExpired(MemberId member, HostId host, LeaveCause cause, OptionalLong lastSign) implements Command {
        public SessionExpired(MemberId member, HostId host, LeaveCause cause) {
            this(member, host, cause, OptionalLong.empty());
        }
    }

    /**
     * A client that is not a member sent a request as if it were one. Ignored unless the member was expelled because
     * its connection was lost: then its expulsion was a false alarm.
     */
    record ReportFalseAlarm(MemberId member) implements Command {}

    /**
     * A server takes over the remote members of servers that are gone. Each must send something within one session from
     * now on.
     *
     * @param dead processes that are dead, as the kernel reports, even if no entry says so yet
     */
    record Adopt(HostId by, Set<HostId> dead) implements Command {}

    /**
     * The existing topics that the group reads; says nothing of other topics. A topic that is missing, and that a
     * member subscribes to by name or by pattern, is deleted: the group forgets it. A topic of
     * {@link dev.muster.core.group.Group#topics()} without a subscriber may be named or left out.
     */
    record TopicsSeen(SortedMap<TopicName, TopicShape> topics) implements Command {}

    /** A member commits offsets of partitions that it owns. All offsets are stored, or none. */
    record Commit(MemberId member, long generation, SortedMap<TopicPartition, CommittedOffset> offsets)
            implements Command {}

    /**
     * Sets offsets by hand. Refused while a member of the group subscribes to the topic. The caller checks that the
     * partitions exist.
     *
     * @param topics existing topics of these offsets
     */
    record Reset(SortedMap<TopicPartition, CommittedOffset> offsets, SortedMap<TopicName, TopicShape> topics)
            implements Command {}

    /**
     * Sets offsets by hand while members may read. In a new generation, the owners of these partitions release them and
     * begin again at the new offsets. Their commits of these partitions before that are refused.
     *
     * @param topics existing topics of these offsets
     * @param by name of the person or program that asks for it, for people
     * @param why reason given by it; may be empty
     */
    record Rewind(
            SortedMap<TopicPartition, CommittedOffset> offsets,
            SortedMap<TopicName, TopicShape> topics,
            String by,
            String why)
            implements Command {}

    /**
     * Sets the number of members that the group waits for each time it begins without members, including the present
     * wait. Empty if it should not wait.
     */
    record Expect(Optional<Expectation> expectation) implements Command {}

    /**
     * A group that waits for members begins with those that have joined.
     *
     * @param by name of the person or program that asks for it, for people
     */
    record Complete(String by) implements Command {}

    /** The longest wait of a forming group is over. Ignored unless {@code token} is the state's. */
    record FormingOver(long token) implements Command {}

    /** Deletes offsets by hand. Refused while a member of the group subscribes to the topic. */
    record Forget(Set<TopicPartition> partitions) implements Command {}

    /** Deletes the group. Refused while it has members. */
    record Delete() implements Command {}

    /**
     * A command of the classic protocol.
     *
     * @param topics existing topics of the command; says nothing of other topics
     */
    record Classic(ClassicCommand command, SortedMap<TopicName, TopicShape> topics) implements Command {}
}
