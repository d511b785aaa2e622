package dev.muster.embedded;

import dev.muster.core.TopicPartition;
import java.util.Set;

/**
 * Hears of partitions that come and go, on the thread that polls. Only what changes is named: partitions that stay are
 * never mentioned and never pause.
 */
public interface RebalanceListener {
    /** These are owned from now on. To begin elsewhere than at the commit, {@code seek} here. */
    default void assigned(long generation, Set<TopicPartition> partitions) {}

    /**
     * These have to be let go of: finish what is in hand, {@code commit}. They go to their next owner when this
     * returns; who takes longer than the revoke time is expelled.
     */
    default void revoked(long generation, Set<TopicPartition> partitions) {}

    /** These are gone already: this member was expelled. Nothing can be committed any more. */
    default void lost(long generation, Set<TopicPartition> partitions) {}
}
