package dev.muster.engine.group.member;

import dev.muster.core.TopicPartition;
import java.util.SortedSet;

/** Hears of partitions that come and go, on the thread that polls. */
public interface GroupHooks {
    /** These are ours from now on, and {@link GroupReader#seek} can be called for them. */
    void assigned(long generation, SortedSet<TopicPartition> partitions);

    /**
     * These have to be let go of.
     *
     * @return those that are finished with. For the others this is called again with the next poll
     */
    SortedSet<TopicPartition> revoked(long generation, SortedSet<TopicPartition> partitions);

    /** These are gone already. */
    void lost(long generation, SortedSet<TopicPartition> partitions);

    /** What to throw when another process has come with our instance id. */
    RuntimeException fenced(String why);
}
