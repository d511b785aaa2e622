package dev.muster.core.group;

import dev.muster.core.TopicPartition;
import dev.muster.core.group.classic.ClassicCommand;
import dev.muster.core.group.classic.ClassicReply;
import dev.muster.core.group.model.Member;
import dev.muster.core.group.model.MemberId;
import dev.muster.core.group.model.PartitionSets;
import java.util.Optional;
import java.util.SortedSet;

/**
 * What a classic member of a group that lives by the modern rules is told: {@link MemberAssignment}, in the words of
 * the classic protocol. Its generation is its epoch. It may be older than that of the group as long as nothing changed
 * for it.
 */
final class ClassicAnswers {
    private ClassicAnswers() {}

    /** The answer to a join that waits; empty: the generation that takes it in is still to come. */
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

    /** The answer to a sync. Never to be waited for: whoever cannot be given anything should join again. */
    static ClassicReply.SyncAnswer sync(Group group, ClassicCommand.Caller caller) {
        Optional<ClassicReply.Refusal> refusal = fence(group, caller);
        if (refusal.isPresent()) {
            return refusal.get();
        }
        if (group.settling()) {
            return new ClassicReply.RebalanceInProgress("the next generation is about to be made; join again");
        }
        Member member = group.members().get(caller.member());
        // What came later it could not commit in its generation.
        SortedSet<TopicPartition> partitions = PartitionSets.filter(
                MemberAssignment.of(group, member).partitions(),
                partition -> group.owners().get(partition).since() <= caller.generation());
        return new ClassicReply.AssignedModern(protocol(member), partitions);
    }

    /** The protocol that it is told to live by. */
    static String protocol(Member member) {
        return member.spec().protocols().getFirst().name();
    }

    /** Why who says this may not act, if so. */
    static Optional<ClassicReply.Refusal> fence(Group group, ClassicCommand.Caller caller) {
        Optional<ClassicReply.Refusal> refusal = fence(group.builder(), caller.member(), caller.instance());
        if (refusal.isPresent()) {
            return refusal;
        }
        long epoch =
                MemberAssignment.of(group, group.members().get(caller.member())).epoch();
        return caller.generation() < 0 || caller.generation() > epoch
                ? Optional.of(new ClassicReply.IllegalGeneration("member " + caller.member() + " speaks of generation "
                        + caller.generation() + ", it was told " + epoch + "; join again"))
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
