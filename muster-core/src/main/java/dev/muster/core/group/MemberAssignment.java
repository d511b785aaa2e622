package dev.muster.core.group;

import dev.muster.core.TopicPartition;
import dev.muster.core.group.model.Member;
import dev.muster.core.group.model.PartitionSets;
import java.util.SortedSet;

/**
 * The assignment that a remote member may be sent. The member learns of the group only in responses. It moves to a
 * newer generation only when it has released all partitions that this generation revokes.
 *
 * @param epoch newest generation that wants nothing back which the member still has; never decreases
 * @param partitions partitions that the member may process: it has owned them since that generation or longer, and
 *     should keep them
 */
public record MemberAssignment(long epoch, SortedSet<TopicPartition> partitions) {
    static MemberAssignment of(Group group, Member member) {
        long epoch = member.revokingSince().isPresent() ? member.revokingSince().getAsLong() - 1 : group.generation();
        return new MemberAssignment(
                epoch,
                PartitionSets.filter(
                        member.owned(),
                        partition -> member.target().contains(partition)
                                && !member.recalled().contains(partition)
                                && group.owners().get(partition).since() <= epoch));
    }
}
