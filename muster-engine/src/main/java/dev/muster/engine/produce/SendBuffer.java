package dev.muster.engine.produce;

import dev.muster.core.Header;
import dev.muster.core.KeyRouting;
import dev.muster.engine.runtime.EngineRuntime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Records between {@code send} and their outcome, and the turn to write them. All state is guarded by one lock, which
 * no thread holds while it calls into a log or completes a future.
 */
final class SendBuffer<P> {
    /** Bounds how long the first batch of a round waits for the last one. */
    private static final int ROUND_BATCHES_MAX = 64;

    private static final int SPINS_MAX = 128;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition room = lock.newCondition();
    private final Condition settled = lock.newCondition();
    private final SendOptions options;
    private final EngineRuntime runtime;

    /** Batches with records that no thread has taken yet, the open ones among them; oldest first. */
    private final ArrayDeque<Batch<P>> pending = new ArrayDeque<>();
    /** Batches whose futures are not done, oldest first; those settled out of turn stay until they are the oldest. */
    private final ArrayDeque<Batch<P>> outstanding = new ArrayDeque<>();

    private long lastId;
    private long usedBytes;
    private int waitingToSettle;
    private boolean closed;
    /** The thread that writes at the moment; null if the turn is free. Written under the lock. */
    private volatile Thread turn;

    /** What came of an attempt to add a record. */
    enum Added {
        /** It is in a batch that was there. */
        JOINED,
        /** It opened a batch. */
        OPENED,
        /** There is no open batch for it. */
        NEEDS_BATCH,
        NO_ROOM,
        STALE,
        CLOSED
    }

    SendBuffer(SendOptions options, EngineRuntime runtime) {
        this.runtime = runtime;
        this.options = options;
    }

    /**
     * Takes the lock. It is never held for longer than a few records take, so a short spin nearly always spares the two
     * context switches of a park.
     */
    private void enter() {
        for (int spin = 0; spin < SPINS_MAX; spin++) {
            if (lock.tryLock()) {
                return;
            }
            Thread.onSpinWait();
        }
        lock.lock();
    }

    /** The fast path: adds to an open batch when there is one with room. */
    Added tryAdd(
            TopicQueues<P> topic,
            SendFuture<P> future,
            int wanted,
            int routed,
            int routedOf,
            byte[] key,
            byte[] value,
            List<Header> headers) {
        enter();
        try {
            if (closed) {
                return Added.CLOSED;
            }
            if (topic.stale) {
                return Added.STALE;
            }
            if (!topic.has(wanted)) {
                return Added.NEEDS_BATCH;
            }
            Batch<P> batch = topic.lane(wanted, key, routed, routedOf).open;
            return batch != null && batch.tryAdd(future, key, value, headers) ? Added.JOINED : Added.NEEDS_BATCH;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Adds to a batch, a new one when needed.
     *
     * @param partitions how many there are now
     * @param size what a batch of this record alone would need
     */
    Added addToNew(
            TopicQueues<P> topic,
            SendFuture<P> future,
            int wanted,
            byte[] key,
            byte[] value,
            List<Header> headers,
            int partitions,
            int size) {
        enter();
        try {
            if (closed) {
                return Added.CLOSED;
            }
            if (topic.stale) {
                return Added.STALE;
            }
            topic.grow(partitions);
            if (!topic.has(wanted)) {
                throw topic.noSuchPartition(wanted);
            }
            int routed = key == null ? 0 : KeyRouting.partition(key, topic.partitions);
            PartitionQueue<P> lane = topic.lane(wanted, key, routed, topic.partitions);
            if (lane.open != null) {
                if (lane.open.tryAdd(future, key, value, headers)) {
                    return Added.JOINED;
                }
                shut(lane.open);
                topic.behind = true;
                // Without a key the lane that is full now is the one to leave.
                lane = topic.lane(wanted, key, routed, topic.partitions);
                if (lane.open != null && lane.open.tryAdd(future, key, value, headers)) {
                    return Added.JOINED;
                }
            }
            if (!hasRoom(topic, size)) {
                return Added.NO_ROOM;
            }
            open(lane, memory(topic, size), future, key, value, headers);
            return Added.OPENED;
        } finally {
            lock.unlock();
        }
    }

    private int memory(TopicQueues<P> topic, int size) {
        return Math.max(topic.memory(options.bufferBytes()), size);
    }

    private boolean hasRoom(TopicQueues<P> topic, int size) {
        return usedBytes == 0 || usedBytes + memory(topic, size) <= options.bufferBytes();
    }

    private void open(
            PartitionQueue<P> lane, int memory, SendFuture<P> future, byte[] key, byte[] value, List<Header> headers) {
        if (lane.open != null) {
            shut(lane.open);
        }
        Batch<P> batch = new Batch<>(++lastId, lane, lane.topic.builder(memory), memory, runtime.nanoTime());
        if (!batch.tryAdd(future, key, value, headers)) {
            throw new IllegalStateException("the first record of a batch of " + memory + " bytes found no room");
        }
        usedBytes += memory;
        lane.open = batch;
        lane.topic.opened(lane);
        pending.addLast(batch);
        outstanding.addLast(batch);
    }

    private void shut(Batch<P> batch) {
        if (batch.lane.open == batch) {
            batch.lane.open = null;
        }
        if (batch.deadlineNanos == Batch.OPEN) {
            batch.deadlineNanos = runtime.nanoTime() + options.deliveryTimeoutNanos();
        }
    }

    /**
     * Waits for memory to come free, unless it did since the caller found none: all of it may be free by now, and then
     * no signal would come.
     *
     * @param size what a batch of the record alone would need
     * @return the nanoseconds that are left; not positive: time is up
     */
    long awaitRoom(TopicQueues<P> topic, int size, long nanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            return closed || nanos <= 0 || hasRoom(topic, size) ? nanos : room.awaitNanos(nanos);
        } finally {
            lock.unlock();
        }
    }

    /** Takes the turn and what is waiting; null when there is nothing, or the turn is another thread's. */
    List<Batch<P>> take(Thread thread) {
        enter();
        try {
            if (pending.isEmpty() || turn != null && turn != thread) {
                return null;
            }
            turn = thread;
            List<Batch<P>> taken = new ArrayList<>(Math.min(pending.size(), ROUND_BATCHES_MAX));
            while (!pending.isEmpty() && taken.size() < ROUND_BATCHES_MAX) {
                Batch<P> batch = pending.pollFirst();
                if (batch.deadlineNanos == Batch.OPEN && batch.isNearlyEmpty()) {
                    batch.lane.topic.behind = false;
                }
                shut(batch);
                taken.add(batch);
            }
            return taken;
        } finally {
            lock.unlock();
        }
    }

    /** Without the lock: only the thread itself can change the answer. */
    boolean hasTurn(Thread thread) {
        return turn == thread;
    }

    /** @return True if another thread should take the turn now */
    boolean leaveTurn() {
        enter();
        try {
            turn = null;
            return !pending.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /** True if the turn is free and there is something to do with it. */
    boolean hasWork() {
        enter();
        try {
            return turn == null && !pending.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    boolean hasFullBatch() {
        enter();
        try {
            return !pending.isEmpty() && pending.peekFirst().deadlineNanos != Batch.OPEN;
        } finally {
            lock.unlock();
        }
    }

    /** The log has copied the batch, or refused it: its memory can be used again. */
    void release(Batch<P> batch) {
        enter();
        try {
            free(batch);
        } finally {
            lock.unlock();
        }
    }

    private void free(Batch<P> batch) {
        usedBytes -= batch.memory;
        batch.lane.topic.giveBack(batch.builder(), batch.memory);
        if (usedBytes <= options.bufferBytes() / 4 * 3) {
            // Not for every batch: waiting threads would get room for one more, and wait again.
            room.signalAll();
        }
    }

    /** All futures of the batch are done. */
    void settle(Batch<P> batch) {
        enter();
        try {
            batch.settled = true;
            while (!outstanding.isEmpty() && outstanding.peekFirst().settled) {
                outstanding.removeFirst();
            }
            if (waitingToSettle > 0) {
                settled.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** The last batch that has been opened. */
    long lastId() {
        enter();
        try {
            return lastId;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until all batches up to this one are settled.
     *
     * @return True if they are
     */
    boolean awaitSettled(long id, long nanos) throws InterruptedException {
        lock.lockInterruptibly();
        waitingToSettle++;
        try {
            long left = nanos;
            while (!outstanding.isEmpty() && outstanding.peekFirst().id <= id) {
                if (left <= 0) {
                    return false;
                }
                left = settled.awaitNanos(left);
            }
            return true;
        } finally {
            waitingToSettle--;
            lock.unlock();
        }
    }

    /** Refuses records from now on. Returns whether this call did it. */
    boolean close() {
        enter();
        try {
            boolean first = !closed;
            closed = true;
            room.signalAll();
            return first;
        } finally {
            lock.unlock();
        }
    }

    /** A batch that was given up, and whether the log may have it. */
    record Expired<P>(Batch<P> batch, boolean mayBeThere) {}

    /**
     * Claims the batches whose time is over: the caller fails and settles them. Batches that have been open for long
     * take no more records, so that no record inherits the deadline of a much older one.
     */
    List<Expired<P>> expire(long nowNanos, long openNanosMax) {
        enter();
        try {
            List<Expired<P>> expired = new ArrayList<>();
            for (Batch<P> batch : outstanding) {
                if (batch.deadlineNanos == Batch.OPEN) {
                    if (nowNanos - batch.openedAtNanos >= openNanosMax) {
                        shut(batch);
                    }
                } else if (nowNanos - batch.deadlineNanos >= 0) {
                    claim(batch, expired);
                }
            }
            return expired;
        } finally {
            lock.unlock();
        }
    }

    /** As {@link #expire}, but of all batches. */
    List<Expired<P>> giveUp() {
        enter();
        try {
            List<Expired<P>> expired = new ArrayList<>();
            for (Batch<P> batch : outstanding) {
                shut(batch);
                claim(batch, expired);
            }
            return expired;
        } finally {
            lock.unlock();
        }
    }

    private void claim(Batch<P> batch, List<Expired<P>> expired) {
        if (batch.claim(Batch.State.WAITING)) {
            expired.add(new Expired<>(batch, false));
            // One that is not here is in the hands of a round, which frees it when it comes to it.
            if (pending.remove(batch)) {
                free(batch);
            }
        } else if (batch.claim(Batch.State.IN_FLIGHT)) {
            expired.add(new Expired<>(batch, true));
        }
    }

    boolean isIdle() {
        enter();
        try {
            return outstanding.isEmpty();
        } finally {
            lock.unlock();
        }
    }
}
