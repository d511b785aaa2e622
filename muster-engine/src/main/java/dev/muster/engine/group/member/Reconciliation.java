package dev.muster.engine.group.member;

import dev.muster.core.TopicPartition;
import dev.muster.core.group.model.Member;
import dev.muster.engine.group.replica.VersionedGroup;
import java.util.SortedSet;

/**
 * The changes that a member must apply after reading its group's state: lost partitions, partitions to release, and
 * partitions to take. To be applied in this order.
 *
 * @param standing place of the member in the group
 * @param seen the state that was read; null if the group was deleted
 * @param me the member in that state; null if it is not in the group
 * @param lost partitions that the member no longer owns; another member may own them already
 * @param release owned partitions that another member is to get
 * @param take owned partitions that the member does not read yet
 */
public record Reconciliation(
        Standing standing,
        VersionedGroup seen,
        Member me,
        SortedSet<TopicPartition> lost,
        SortedSet<TopicPartition> release,
        SortedSet<TopicPartition> take) {
    /** The relation of a member to its group. */
    public enum Standing {
        IN,
        /** The member was expelled, or the group was deleted: it must join again. */
        OUT,
        /** Another process joined with the same instance id: the member must not join again. */
        FENCED
    }
}
