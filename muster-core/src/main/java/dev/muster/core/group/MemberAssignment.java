package dev.muster.core.group;

import dev.muster.core.TopicPartition;
import dev.muster.core.group.model.Member;
import dev.muster.core.group.model.PartitionSets;
import java.util.SortedSet;

/**
 * What a remote member may be told of itself. It hears of the group only now and then, so it goes from one generation
 * to another when it has let go of all that the other one wants back, and not before.
 *
 * @param epoch the newest generation that wants nothing back which the member still has; never falls
 * @param partitions what it may work: what it owns since that generation or longer, and should keep
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
