package dev.muster.engine.produce;

import dev.muster.core.Header;
import dev.muster.store.DiskFullException;
import dev.muster.store.PartitionLog;
import dev.muster.store.batch.BatchBuilder;
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

    /** The offset that the log returned. For the writing thread only. */
    long baseOffset;

    /** The offset behind the last record; 0 until the log has the batch. */
    long end;

    /**
     * The log that has the batch. The queue may have a newer log by now, in which the same offset is another record.
     */
    PartitionLog log;

    Throwable failure;

    /** Not null while the log refuses the batch because the disk is full. Then no record of the batch is in the log. */
    volatile DiskFullException refusal;

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

    EncodedBatch finish(long producerId, int baseSequence) {
        return builder.finish(producerId, (short) 0, baseSequence);
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
        long offset = baseOffset;
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
