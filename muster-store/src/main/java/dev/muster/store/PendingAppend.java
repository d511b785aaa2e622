package dev.muster.store;

import java.util.concurrent.CompletableFuture;

/**
 * One append from its begin until it is durable. First the batch gets its place, then it becomes durable.
 *
 * <p>A batch that has its place counts in the log and survives the death of this process. A durable batch survives
 * power loss as the sync level of its topic promises. The blocking calls may be made by any thread, any number of
 * times.
 */
public interface PendingAppend {
    /**
     * Returns the place, when it is known. Every exception but one means that the batch is not in the log and never
     * will be.
     *
     * @throws RecordTooLargeException if the batch is larger than {@code max.message.bytes}
     * @throws DiskFullException if there is no room; appends work again once there is
     * @throws TopicDeletedException if the topic was deleted
     * @throws LogReplacedException if files of the log were removed or replaced
     * @throws NotOwnerException if the store refuses the append because another process holds the right to append
     * @throws FencedException if this appender was lost before the append took place
     * @throws AppendConflictException if the offset of a conditional append is not the end of the log
     * @throws StoreUnavailableException if the store cannot be reached
     * @throws AppendOutcomeUnknownException the one exception: the batch is in the log, or comes to be, or is not. The
     *     appender is lost. Opening another appender of the partition in this process settles the outcome
     */
    AppendPlace place();

    /**
     * Returns when the batch is durable. At sync levels other than {@code commit} this is at once. A store may sync on
     * the calling thread.
     *
     * @throws SyncFailedException if the store failed to make the batch durable: its records may be lost and are not
     *     visible
     * @throws TopicDeletedException if the topic was deleted: nothing was acknowledged
     */
    void awaitDurable();

    /** Completes as {@link #place} returns or throws. */
    CompletableFuture<AppendPlace> placed();

    /** Completes as {@link #awaitDurable} returns or throws, without holding a thread of the caller. */
    CompletableFuture<Void> durable();

    /** An append that got its place before the call that began it returned. */
    static PendingAppend placed(PartitionLog log, AppendPlace place) {
        return new PlacedAppend(log, place);
    }

    /** An append that failed before the call that began it returned. */
    static PendingAppend failed(Throwable failure) {
        return new FailedAppend(failure);
    }
}
