package dev.muster.engine.produce;

import dev.muster.core.Header;
import dev.muster.core.MusterException;
import dev.muster.store.AppendOutcomeUnknownException;
import dev.muster.store.AppendPlace;
import dev.muster.store.PendingAppend;
import dev.muster.store.batch.BatchBuilder;
import dev.muster.store.batch.BatchHeader;
import dev.muster.store.batch.EncodedBatch;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Records of one partition that are written together and have one outcome, with their futures. Filled under the lock of
 * the {@link SendBuffer}. The state names the thread that completes the futures: exactly one does.
 */
final class Batch<P> {
    /** How far a batch has come. */
    enum State {
        /** The batch was not given to a log. */
        WAITING,
        /** The log has the batch: the outcome is unknown until the log returns. */
        IN_FLIGHT,
        /** One thread has taken over completing the futures. */
        CLAIMED
    }

    static final long OPEN = Long.MAX_VALUE;
    private static final int NEARLY_EMPTY_BYTES = 16 << 10;

    /** Grows with every batch of a sender. */
    final long id;

    final PartitionQueue<P> queue;
    final int memory;
    final long openedAtNanos;
    private final AtomicReference<State> state = new AtomicReference<>(State.WAITING);
    private final BatchBuilder builder;
    private SendFuture<P> first;
    private SendFuture<P> last;

    /**
     * The time at which the futures fail; {@link #OPEN} as long as records can be added. Guarded by the buffer's lock.
     */
    long deadlineNanos = OPEN;
    /** True if all futures are done. Guarded by the buffer's lock. */
    boolean settled;

    // The fields below are for the writing thread only, except the refusal.

    /** The bytes of the batch; null until it is to be appended. */
    EncodedBatch encoded;

    /** An offset below the place that the batch may have got. */
    long floor;

    /** Not null while it is not known whether the batch is in the log. */
    AppendOutcomeUnknownException doubt;

    /**
     * The append; null until it has its place. It belongs to the log that has the batch: the queue may have a newer log
     * by now, in which the same offset is another record.
     */
    PendingAppend append;

    /** The place in the log; null until it is known. */
    AppendPlace place;

    Throwable failure;

    /**
     * Not null while the store refuses the batch for a reason that may pass, as a full disk. Then no record of the
     * batch is in the log.
     */
    volatile MusterException refusal;

    Batch(long id, PartitionQueue<P> queue, BatchBuilder builder, int memory, long openedAtNanos) {
        this.id = id;
        this.queue = queue;
        this.builder = builder;
        this.memory = memory;
        this.openedAtNanos = openedAtNanos;
    }

    boolean tryAdd(SendFuture<P> future, byte[] key, byte[] value, List<Header> headers) {
        if (!builder.tryAppend(future.timestamp, key, value, headers)) {
            return false;
        }
        if (last == null) {
            first = future;
        } else {
            last.next = future;
        }
        last = future;
        return true;
    }

    boolean isNearlyEmpty() {
        return builder.sizeInBytes() < NEARLY_EMPTY_BYTES;
    }

    int recordCount() {
        return builder.recordCount();
    }

    void encode(long producerId, int baseSequence) {
        encoded = builder.finish(producerId, (short) 0, baseSequence);
    }

    long producerId() {
        return BatchHeader.producerId(encoded.array(), encoded.at());
    }

    int baseSequence() {
        return BatchHeader.baseSequence(encoded.array(), encoded.at());
    }

    BatchBuilder builder() {
        return builder;
    }

    State state() {
        return state.get();
    }

    boolean begin() {
        return state.compareAndSet(State.WAITING, State.IN_FLIGHT);
    }

    /** @return True if the caller alone has to complete the futures */
    boolean claim(State from) {
        return state.compareAndSet(from, State.CLAIMED);
    }

    void acknowledge(RecordSender.PositionFactory<P> positions) {
        long offset = place.baseOffset();
        int partition = queue.partition;
        SendFuture<P> future = first;
        first = null;
        last = null;
        while (future != null) {
            SendFuture<P> next = future.next;
            future.next = null;
            future.complete(positions.at(partition, offset++, future.timestamp));
            future = next;
        }
    }

    void fail(Throwable reason) {
        SendFuture<P> future = first;
        first = null;
        last = null;
        while (future != null) {
            SendFuture<P> next = future.next;
            future.next = null;
            future.completeExceptionally(reason);
            future = next;
        }
    }
}
