package dev.muster.embedded;

import dev.muster.core.TopicPartition;
import dev.muster.embedded.admin.Groups;
import java.util.Set;

/**
 * Is called when the partitions of a member change, on the thread that polls. Only changes are named: partitions that
 * stay are never mentioned and never pause. If several changes happen at once, {@link #lost} is called first, then
 * {@link #revoked}, then {@link #assigned}.
 *
 * <p>A listener may call all methods of the consumer except {@code poll}. {@code poll} throws a listener's exception
 * after the change is done.
 */
public interface RebalanceListener {
    /**
     * The member owns these partitions from now on. To begin at another place than the commit, {@code seek} here.
     *
     * @param generation current generation of the group; its number is never used again
     */
    default void assigned(long generation, Set<TopicPartition> partitions) {}

    /**
     * The member must release these partitions: finish the records in progress, and {@code commit}. The partitions go
     * to their next owner when this method returns. A member that takes longer than the revoke timeout is expelled.
     *
     * <p>Partitions whose offsets were set by hand come back at once, and {@code commit} leaves them out: see
     * {@link Groups#resetLive}. {@code close} calls this method for all partitions, on the thread that closes.
     *
     * @param generation generation in which the member may no longer own them
     */
    default void revoked(long generation, Set<TopicPartition> partitions) {}

    /**
     * The member no longer owns these partitions: it was expelled, or their topic was deleted. It cannot commit them.
     *
     * @param generation generation in which the member noticed the loss
     */
    default void lost(long generation, Set<TopicPartition> partitions) {}
}
