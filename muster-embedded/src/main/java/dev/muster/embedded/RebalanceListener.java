package dev.muster.embedded;

import dev.muster.core.TopicPartition;
import dev.muster.embedded.admin.Groups;
import java.util.Set;

/**
 * Hears of partitions that come and go, on the thread that polls. Only what changes is named: partitions that stay are
 * never mentioned and never pause. When several things happen at once, {@link #lost} comes first, then
 * {@link #revoked}, then {@link #assigned}. The consumer may be called from here, but for {@code poll}; what a listener
 * throws comes out of {@code poll} after the change is done.
 */
public interface RebalanceListener {
    /**
     * These are owned from now on. To begin elsewhere than at the commit, {@code seek} here.
     *
     * @param generation the one that is known now; its number never comes again
     */
    default void assigned(long generation, Set<TopicPartition> partitions) {}

    /**
     * These have to be let go of: finish what is in hand, {@code commit}. They go to their next owner when this
     * returns; who takes longer than the revoke time is expelled. Those whose offsets were set by hand come back at
     * once, and {@code commit} leaves them out: see {@link Groups#resetLive}. Also called at {@code close}, for
     * everything, on the thread that closes.
     *
     * @param generation the one that takes them away
     */
    default void revoked(long generation, Set<TopicPartition> partitions) {}

    /**
     * These are gone already: this member was expelled, or their topic was deleted. Nothing can be committed any more.
     *
     * @param generation the one in which this was found out
     */
    default void lost(long generation, Set<TopicPartition> partitions) {}
}
