package dev.muster.engine.group.member;

import dev.muster.core.TopicPartition;
import dev.muster.core.group.model.Member;
import dev.muster.engine.group.replica.VersionedGroup;
import java.util.SortedSet;

/**
 * What the group means for a member that looks at it: what is gone, what it must let go of, what it may take. To be
 * worked in this order.
 *
 * @param standing place of the member in the group
 * @param seen the state it looked at; null when there is none any more
 * @param me the member in that state; null when it is not there
 * @param lost partitions owned before and no longer; another member may own them already
 * @param release partitions owned, but meant for another member
 * @param take partitions owned, and not yet read
 */
public record Reconciliation(
        Standing standing,
        VersionedGroup seen,
        Member me,
        SortedSet<TopicPartition> lost,
        SortedSet<TopicPartition> release,
        SortedSet<TopicPartition> take) {
    /** A member's place. */
    public enum Standing {
        IN,
        /** It was expelled, or the group is gone: join again. */
        OUT,
        /** Another process came with its instance id: do not join again. */
        FENCED
    }
}
