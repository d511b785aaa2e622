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
 * Records between {@code send} and their outcome, and the choice of the thread that writes them. One lock guards all
 * state; no thread holds it while it calls into a log or completes a future.
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

    /** Batches that no thread has taken yet, including open batches; oldest first. */
    private final ArrayDeque<Batch<P>> pending = new ArrayDeque<>();
    /**
     * Batches whose futures are not done, oldest first. A batch that is settled earlier than an older one stays until
     * it is the oldest.
     */
    private final ArrayDeque<Batch<P>> outstanding = new ArrayDeque<>();

    private long lastId;
    private long usedBytes;
    private int waitingToSettle;
    private boolean closed;
    /** The thread that writes at the moment; null if no thread writes. Changed under the lock. */
    private volatile Thread writer;

    /** The result of an attempt to add a record. */
    enum Added {
        /** The record is in an existing batch. */
        JOINED,
        /** The record is in a new batch. */
        OPENED,
        /** There is no open batch with room for the record. */
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
     * Takes the lock. It is held only for the time that a few records take, so a short spin nearly always avoids the
     * two context switches of a park.
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

    /** The fast path: adds the record to an open batch if there is one with room. */
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
            Batch<P> batch = topic.queue(wanted, key, routed, routedOf).open;
            return batch != null && batch.tryAdd(future, key, value, headers) ? Added.JOINED : Added.NEEDS_BATCH;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Adds the record to an open batch, or to a new one.
     *
     * @param partitions the present number of partitions
     * @param size the memory that a batch of this record alone would need
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
            PartitionQueue<P> queue = topic.queue(wanted, key, routed, topic.partitions);
            if (queue.open != null) {
                if (queue.open.tryAdd(future, key, value, headers)) {
                    return Added.JOINED;
                }
                shut(queue.open);
                topic.behind = true;
                // A record without a key moves on to the next partition, because this queue's batch is full.
                queue = topic.queue(wanted, key, routed, topic.partitions);
                if (queue.open != null && queue.open.tryAdd(future, key, value, headers)) {
                    return Added.JOINED;
                }
            }
            if (!hasRoom(topic, size)) {
                return Added.NO_ROOM;
            }
            open(queue, memory(topic, size), future, key, value, headers);
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
            PartitionQueue<P> queue, int memory, SendFuture<P> future, byte[] key, byte[] value, List<Header> headers) {
        if (queue.open != null) {
            shut(queue.open);
        }
        Batch<P> batch = new Batch<>(++lastId, queue, queue.topic.builder(memory), memory, runtime.nanoTime());
        if (!batch.tryAdd(future, key, value, headers)) {
            throw new IllegalStateException("the first record of a batch of " + memory + " bytes found no room");
        }
        usedBytes += memory;
        queue.open = batch;
        queue.topic.opened(queue);
        pending.addLast(batch);
        outstanding.addLast(batch);
    }

    private void shut(Batch<P> batch) {
        if (batch.queue.open == batch) {
            batch.queue.open = null;
        }
        if (batch.deadlineNanos == Batch.OPEN) {
            batch.deadlineNanos = runtime.nanoTime() + options.deliveryTimeoutNanos();
        }
    }

    /**
     * Waits for free memory. Does not wait if memory was freed since the caller found none: no further signal might
     * follow.
     *
     * @param size the memory that a batch of the record alone would need
     * @return the nanoseconds that are left; zero or negative after the timeout
     */
    long awaitRoom(TopicQueues<P> topic, int size, long nanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            return closed || nanos <= 0 || hasRoom(topic, size) ? nanos : room.awaitNanos(nanos);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Takes the waiting batches and makes the thread the writing one; null if no batch waits, or if another thread
     * writes.
     */
    List<Batch<P>> take(Thread thread) {
        enter();
        try {
            if (pending.isEmpty() || writer != null && writer != thread) {
                return null;
            }
            writer = thread;
            List<Batch<P>> taken = new ArrayList<>(Math.min(pending.size(), ROUND_BATCHES_MAX));
            while (!pending.isEmpty() && taken.size() < ROUND_BATCHES_MAX) {
                Batch<P> batch = pending.pollFirst();
                if (batch.deadlineNanos == Batch.OPEN && batch.isNearlyEmpty()) {
                    batch.queue.topic.behind = false;
                }
                shut(batch);
                taken.add(batch);
            }
            return taken;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Makes this thread the writing thread although no batch may wait. The thread calls {@link #stopWriting}
     * afterwards.
     *
     * @return false if a thread writes
     */
    boolean tryWriting(Thread thread) {
        enter();
        try {
            if (writer != null) {
                return false;
            }
            writer = thread;
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** True if this thread is the writing one. Without the lock: only the thread itself can change the answer. */
    boolean isWriting(Thread thread) {
        return writer == thread;
    }

    /**
     * Ends the writing of this thread.
     *
     * @return True if batches wait and another thread should write now
     */
    boolean stopWriting() {
        enter();
        try {
            writer = null;
            return !pending.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /** True if batches wait and no thread writes. */
    boolean hasWork() {
        enter();
        try {
            return writer == null && !pending.isEmpty();
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

    /** Frees the memory of a batch after the log copied or refused it. */
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
        batch.queue.topic.giveBack(batch.builder(), batch.memory);
        if (usedBytes <= options.bufferBytes() / 4 * 3) {
            // Not for every batch: each waiting thread would get room for one batch only, and wait again.
            room.signalAll();
        }
    }

    /** Notes that all futures of the batch are done. */
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

    /** The id of the newest batch. */
    long lastId() {
        enter();
        try {
            return lastId;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until all batches up to this id are settled.
     *
     * @return True if they are settled; false after the timeout
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

    /** Refuses records from now on. Returns true for the first call. */
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

    /** A batch that was given up. {@code mayBeThere} is true if the log may have it. */
    record Expired<P>(Batch<P> batch, boolean mayBeThere) {}

    /**
     * Claims the batches whose deadline has passed: the caller fails and settles them. A batch that has been open for
     * {@code openNanosMax} takes no more records, so that no record inherits the deadline of a much older one.
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

    /** As {@link #expire}, but claims all batches. */
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
            // A batch that is not pending was taken by a round, which frees it later.
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
