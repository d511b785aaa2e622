package dev.muster.core.group.classic;

import dev.muster.core.TopicPartition;
import dev.muster.core.group.model.MemberId;
import dev.muster.core.group.model.Opaque;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;

/**
 * The answer to a {@link ClassicCommand}. A refusal is an answer, not a failure of ours, and changed nothing, but for
 * three: {@link MemberIdRequired} gave an id, {@link GroupFull} put out a member that came back too late for the limit,
 * and with {@link RebalanceInProgress} a member may have become that of another server.
 */
public sealed interface ClassicReply {
    /** What a join comes to. */
    sealed interface JoinAnswer extends ClassicReply permits Joined, JoinedModern, Refusal {}

    /** What a sync comes to. */
    sealed interface SyncAnswer extends ClassicReply permits Assigned, AssignedModern, Refusal {}

    /** What everything else comes to. */
    sealed interface Acknowledgement extends ClassicReply permits Done, Refusal {}

    /** Done, or nothing was to be done. */
    record Done() implements Acknowledgement {}

    /**
     * The join counts. Its answer is the state in which this member does not wait any more, see {@link ClassicGroup}.
     *
     * @param instance the one it has, also when the request did not name it: should a twin take its place, it is fenced
     */
    record JoinParked(MemberId member, Optional<String> instance) implements ClassicReply {}

    /** The sync counts. Its answer is the state in which the group is stable, or rebalances again. */
    record SyncParked(MemberId member, Optional<String> instance) implements ClassicReply {}

    /**
     * A generation with this member in it.
     *
     * @param members for the leader: all, with what they say under the chosen protocol; for others nobody
     * @param skipAssignment the leader need not assign: everybody keeps what he has
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
     * @param resumed whether what it has is its own whatever generation it names: by the modern rules it need not hear
     *     of each. A leader would take an older one for a sign that others have it now
     */
    record MemberMetadata(MemberId member, Optional<String> instance, Opaque metadata, boolean resumed) {}

    /** What the leader gave to this member. */
    record Assigned(String protocolType, String protocol, Opaque assignment) implements SyncAnswer {}

    /**
     * It is in a group that lives by the modern rules, where nobody leads.
     *
     * @param generation the newest that wants nothing back which the member has
     * @param protocol the one that it prefers, as if it had been chosen
     */
    record JoinedModern(MemberId member, long generation, String protocol) implements JoinAnswer {}

    /** What a group that lives by the modern rules gives to this member, in its generation. */
    record AssignedModern(String protocol, SortedSet<TopicPartition> partitions) implements SyncAnswer {}

    /** One answer for each who wanted to leave, in their order. */
    record Left(List<Acknowledgement> answers) implements ClassicReply {
        public Left {
            answers = List.copyOf(answers);
        }
    }

    /** No, and why. */
    sealed interface Refusal extends JoinAnswer, SyncAnswer, Acknowledgement {
        /** For people: what, why, and what to try. */
        String text();
    }

    /** There is no such member. Join without an id. In Kafka: {@code UNKNOWN_MEMBER_ID}. */
    record UnknownMember(String text) implements Refusal {}

    /** Another one came with this instance id. Do not join again. In Kafka: {@code FENCED_INSTANCE_ID}. */
    record FencedInstance(String text) implements Refusal {}

    /** The generation named is not the present one. Join again. In Kafka: {@code ILLEGAL_GENERATION}. */
    record IllegalGeneration(String text) implements Refusal {}

    /** Join again, under the same id. In Kafka: {@code REBALANCE_IN_PROGRESS}. */
    record RebalanceInProgress(String text) implements Refusal {}

    /**
     * The group lives by another type of protocol, or the member knows none that all others know. In Kafka:
     * {@code INCONSISTENT_GROUP_PROTOCOL}.
     */
    record InconsistentProtocol(String text) implements Refusal {}

    /** Join again, with this id. In Kafka: {@code MEMBER_ID_REQUIRED}. */
    record MemberIdRequired(MemberId member, String text) implements Refusal {}

    /**
     * There are as many members as are allowed. A member that came back to a rebalance too late for it is out. In
     * Kafka: {@code GROUP_MAX_SIZE_REACHED}.
     */
    record GroupFull(String text) implements Refusal {}

    /** The session asked for is longer or shorter than is allowed. In Kafka: {@code INVALID_SESSION_TIMEOUT}. */
    record InvalidSession(String text) implements Refusal {}

    /** The name is none that a group can have. In Kafka: {@code INVALID_GROUP_ID}. */
    record InvalidGroup(String text) implements Refusal {}

    /**
     * Not while the group has members, or, for offsets, members that read the topic. In Kafka: {@code NON_EMPTY_GROUP}.
     */
    record GroupInUse(String text) implements Refusal {}

    /** There is no such group. In Kafka: {@code GROUP_ID_NOT_FOUND}. */
    record NoSuchGroup(String text) implements Refusal {}

    /**
     * The group is deleted at this moment, or the server stops. Ask again. In Kafka: {@code COORDINATOR_NOT_AVAILABLE}.
     */
    record Unavailable(String text) implements Refusal {}
}
