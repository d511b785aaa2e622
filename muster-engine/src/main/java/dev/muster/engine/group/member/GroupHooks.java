package dev.muster.engine.group.member;

import dev.muster.core.TopicPartition;
import java.util.SortedSet;

/** Callbacks for assigned and revoked partitions, called on the polling thread. */
public interface GroupHooks {
    /** The member owns these partitions from now on, and {@link GroupReader#seek} may be called for them. */
    void assigned(long generation, SortedSet<TopicPartition> partitions);

    /**
     * The member must release these partitions.
     *
     * @return the partitions that can be released now; the next poll calls this method again for the rest
     */
    SortedSet<TopicPartition> revoked(long generation, SortedSet<TopicPartition> partitions);

    /** The member lost these partitions already. */
    void lost(long generation, SortedSet<TopicPartition> partitions);

    /** The exception to throw when another process joined with the instance id of this member. */
    RuntimeException fenced(String why);
}
