package dev.muster.core.group.classic;

import dev.muster.core.MemberId;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.model.Opaque;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;

/**
 * The reply to a {@link ClassicCommand}. A refusal is a reply, not a failure, and changed nothing, with three
 * exceptions. {@link MemberIdRequired} gave an id. {@link GroupFull} expelled a member that came back when the group
 * was full. With {@link RebalanceInProgress} a member may have changed to another server.
 */
public sealed interface ClassicReply {
    /** The possible answers to a join. */
    sealed interface JoinAnswer extends ClassicReply permits Joined, JoinedModern, Refusal {}

    /** The possible answers to a sync. */
    sealed interface SyncAnswer extends ClassicReply permits Assigned, AssignedModern, Refusal {}

    /** The possible answers to all other commands. */
    sealed interface Acknowledgement extends ClassicReply permits Done, Refusal {}

    /** The command is done, or there was nothing to do. */
    record Done() implements Acknowledgement {}

    /**
     * The join is accepted. Its answer is due in the first state in which this member does not wait any more, see
     * {@link ClassicGroup}.
     *
     * @param instance the member's instance id, even if the request did not name it; a membership that replaces it
     *     fences this one
     */
    record JoinParked(MemberId member, Optional<String> instance) implements ClassicReply {}

    /** The sync is accepted. Its answer is due when the group is stable or rebalances again. */
    record SyncParked(MemberId member, Optional<String> instance) implements ClassicReply {}

    /**
     * A generation that includes this member.
     *
     * @param members for the leader, all members with their metadata for the protocol; empty for other members
     * @param skipAssignment True if the leader need not assign, because every member keeps its partitions
     */
    record Joined(
            MemberId member,
            long generation,
            String protocolType,
            String protocol,
            MemberId leader,
            List<MemberMetadata> members,
            boolean skipAssignment)
            implements JoinAnswer {
        public Joined {
            members = List.copyOf(members);
        }
    }

    /**
     * A member as the leader sees it.
     *
     * @param resumed True if the member still owns what it has, whatever generation it names. Under the modern rules it
     *     is not told of every generation, and a leader would take an older one for a sign that other members own its
     *     partitions now
     */
    record MemberMetadata(MemberId member, Optional<String> instance, Opaque metadata, boolean resumed) {}

    /** The assignment that the leader gave to this member. */
    record Assigned(String protocolType, String protocol, Opaque assignment) implements SyncAnswer {}

    /**
     * The member is in a group under the modern rules, which has no leader.
     *
     * @param generation newest generation that wants nothing back which the member has
     * @param protocol the protocol that the member prefers, as if it had been chosen
     */
    record JoinedModern(MemberId member, long generation, String protocol) implements JoinAnswer {}

    /** The assignment of a member of a group under the modern rules, in its generation. */
    record AssignedModern(String protocol, SortedSet<TopicPartition> partitions) implements SyncAnswer {}

    /** One answer for each member that asked to leave, in the same order. */
    record Left(List<Acknowledgement> answers) implements ClassicReply {
        public Left {
            answers = List.copyOf(answers);
        }
    }

    /** The command is refused. */
    sealed interface Refusal extends JoinAnswer, SyncAnswer, Acknowledgement {
        /** An explanation for people: the refusal, its reason, and what to try. */
        String text();
    }

    /** There is no such member. It should join without an id. In Kafka: {@code UNKNOWN_MEMBER_ID}. */
    record UnknownMember(String text) implements Refusal {}

    /**
     * Another member came with this instance id. This one must not join again. In Kafka: {@code FENCED_INSTANCE_ID}.
     */
    record FencedInstance(String text) implements Refusal {}

    /**
     * The request names another generation than the present one. The member should join again. In Kafka:
     * {@code ILLEGAL_GENERATION}.
     */
    record IllegalGeneration(String text) implements Refusal {}

    /** The member should join again, under the same id. In Kafka: {@code REBALANCE_IN_PROGRESS}. */
    record RebalanceInProgress(String text) implements Refusal {}

    /**
     * The group has another protocol type, or the member knows no protocol that all others know. In Kafka:
     * {@code INCONSISTENT_GROUP_PROTOCOL}.
     */
    record InconsistentProtocol(String text) implements Refusal {}

    /** The client should join again, with this id. In Kafka: {@code MEMBER_ID_REQUIRED}. */
    record MemberIdRequired(MemberId member, String text) implements Refusal {}

    /**
     * The group has as many members as are allowed. A member that came back to a rebalance too late is expelled. In
     * Kafka: {@code GROUP_MAX_SIZE_REACHED}.
     */
    record GroupFull(String text) implements Refusal {}

    /** The requested session timeout is longer or shorter than allowed. In Kafka: {@code INVALID_SESSION_TIMEOUT}. */
    record InvalidSession(String text) implements Refusal {}

    /** The name is not a valid group name. In Kafka: {@code INVALID_GROUP_ID}. */
    record InvalidGroup(String text) implements Refusal {}

    /**
     * The group is being deleted, or the server is stopping. The client should ask again. In Kafka:
     * {@code COORDINATOR_NOT_AVAILABLE}.
     */
    record Unavailable(String text) implements Refusal {}
}
