package dev.muster.core.group;

import dev.muster.core.MemberId;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.classic.ClassicCommand;
import dev.muster.core.group.classic.ClassicReply;
import dev.muster.core.group.model.Member;
import dev.muster.core.group.model.PartitionSets;
import java.util.Optional;
import java.util.SortedSet;

/**
 * The answers to a member that uses the classic protocol in a group under the modern rules: its
 * {@link MemberAssignment}, as classic replies. The generation that the member is sent is its epoch. It may be older
 * than the group's generation as long as nothing changed for this member.
 */
final class ClassicAnswers {
    private ClassicAnswers() {}

    /** The answer to a waiting join. Empty if the generation that includes the member is not made yet. */
    static Optional<ClassicReply.JoinAnswer> join(Group group, MemberId id, Optional<String> instance) {
        Optional<ClassicReply.Refusal> refusal = fence(group.builder(), id, instance);
        if (refusal.isPresent()) {
            return Optional.of(refusal.get());
        }
        if (group.settling()) {
            return Optional.empty();
        }
        Member member = group.members().get(id);
        return Optional.of(new ClassicReply.JoinedModern(
                id, MemberAssignment.of(group, member).epoch(), protocol(member)));
    }

    /** The answer to a sync. It never waits: a member that has no assignment yet is asked to join again. */
    static ClassicReply.SyncAnswer sync(Group group, ClassicCommand.Caller caller) {
        Optional<ClassicReply.Refusal> refusal = fence(group, caller);
        if (refusal.isPresent()) {
            return refusal.get();
        }
        if (group.settling()) {
            return new ClassicReply.RebalanceInProgress("the next generation is about to be made; join again");
        }
        Member member = group.members().get(caller.member());
        // The member could not commit, in its generation, a partition that it was granted later.
        SortedSet<TopicPartition> partitions = PartitionSets.filter(
                MemberAssignment.of(group, member).partitions(),
                partition -> group.owners().get(partition).since() <= caller.generation());
        return new ClassicReply.AssignedModern(protocol(member), partitions);
    }

    /** The protocol that the member is told to use. */
    static String protocol(Member member) {
        return member.spec().protocols().getFirst().name();
    }

    /** The reason to refuse a request of this caller. Empty if the caller may act. */
    static Optional<ClassicReply.Refusal> fence(Group group, ClassicCommand.Caller caller) {
        Optional<ClassicReply.Refusal> refusal = fence(group.builder(), caller.member(), caller.instance());
        if (refusal.isPresent()) {
            return refusal;
        }
        long epoch =
                MemberAssignment.of(group, group.members().get(caller.member())).epoch();
        return caller.generation() < 0 || caller.generation() > epoch
                ? Optional.of(new ClassicReply.IllegalGeneration("member " + caller.member() + " names generation "
                        + caller.generation() + ", its generation is " + epoch + "; join again"))
                : Optional.empty();
    }

    static Optional<ClassicReply.Refusal> fence(GroupBuilder builder, MemberId id, Optional<String> instance) {
        if (instance.isPresent()) {
            Optional<Member> holder = Fence.instance(builder.members.values(), instance.get());
            if (holder.isPresent() && !holder.get().spec().id().equals(id)) {
                return Optional.of(fenced(id, instance.get()));
            }
        }
        Member member = builder.members.get(id);
        boolean known = member != null
                && member.spec().classic()
                && (instance.isEmpty() || member.spec().instance().equals(instance));
        return known ? Optional.empty() : Optional.of(unknown(id));
    }

    static ClassicReply.FencedInstance fenced(MemberId id, String instance) {
        return new ClassicReply.FencedInstance("another consumer has instance id \"" + instance + "\", not member " + id
                + "; give each running consumer an instance id of its own");
    }

    static ClassicReply.UnknownMember unknown(MemberId id) {
        return new ClassicReply.UnknownMember("member " + id + " is not in the group; join again without an id");
    }
}
