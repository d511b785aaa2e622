package dev.muster.engine.produce;

import dev.muster.core.SyncLevel;
import dev.muster.engine.produce.Batch.State;
import dev.muster.engine.runtime.EngineRuntime;
import dev.muster.engine.runtime.EngineThreads;
import dev.muster.store.DiskFullException;
import dev.muster.store.LogReplacedException;
import dev.muster.store.LogStore;
import dev.muster.store.RecordTooLargeException;
import dev.muster.store.TopicDeletedException;
import dev.muster.store.batch.EncodedBatch;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Writes batches to their logs and completes their futures. Only the writing thread of the buffer calls it, which keeps
 * the order of each partition. Never throws: a failure is the outcome of its batch, and the next batch is written.
 */
final class SendRound<P> {
    private static final Executor SYNCS = EngineThreads.blocking("muster-sync");

    /** The pause before the next attempt on a full disk. */
    private static final long ROOM_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final LogStore store;
    private final SendBuffer<P> buffer;
    private final RecordSender.PositionFactory<P> positions;
    private final EngineRuntime runtime;

    SendRound(LogStore store, SendBuffer<P> buffer, RecordSender.PositionFactory<P> positions, EngineRuntime runtime) {
        this.runtime = runtime;
        this.store = store;
        this.buffer = buffer;
        this.positions = positions;
    }

    /** @return the number of records in these batches */
    int write(List<Batch<P>> batches) {
        List<Batch<P>> unsynced = new ArrayList<>(batches.size());
        int records = 0;
        for (Batch<P> batch : batches) {
            records += batch.recordCount();
            // The earlier batches are in their logs: they are acknowledged before this batch waits for room.
            if (!append(batch, () -> syncAndComplete(unsynced))) {
                continue;
            }
            if (batch.queue.topic.topic.settings().sync() == SyncLevel.COMMIT) {
                unsynced.add(batch);
            } else {
                // There is no sync to wait for, so the futures are completed at once.
                durable(batch.queue, awaitDurable(batch.queue), batches);
                complete(batch);
            }
        }
        syncAndComplete(unsynced);
        return records;
    }

    /** Acknowledges batches that are in their logs, with one sync for each queue, and empties the list. */
    private void syncAndComplete(List<Batch<P>> written) {
        if (written.isEmpty()) {
            return;
        }
        Set<PartitionQueue<P>> queues = new LinkedHashSet<>();
        written.forEach(batch -> queues.add(batch.queue));
        sync(List.copyOf(queues), written);
        written.forEach(this::complete);
        written.clear();
    }

    /**
     * Syncs all queues at the same time: in sequence, a round over many partitions would take as long as all their
     * syncs.
     */
    private void sync(List<PartitionQueue<P>> queues, List<Batch<P>> batches) {
        List<CompletableFuture<Throwable>> others = queues.stream()
                .skip(1)
                .map(queue -> CompletableFuture.supplyAsync(() -> awaitDurable(queue), SYNCS))
                .toList();
        durable(queues.getFirst(), awaitDurable(queues.getFirst()), batches);
        for (int i = 0; i < others.size(); i++) {
            durable(queues.get(i + 1), outcome(others.get(i)), batches);
        }
    }

    private static Throwable outcome(Future<Throwable> sync) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return sync.get();
                } catch (InterruptedException e) {
                    // The interrupt is for the caller's code. Other threads wait for this outcome too, so it is kept
                    // for later.
                    interrupted = true;
                } catch (ExecutionException e) {
                    return e.getCause();
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * @param beforeWaiting task to run when the disk is full, before waiting for room
     * @return True if the batch is in the log and waits for its acknowledgement
     */
    private boolean append(Batch<P> batch, Runnable beforeWaiting) {
        PartitionQueue<P> queue = batch.queue;
        boolean begun = batch.begin();
        try {
            if (begun) {
                int records = batch.recordCount();
                long producerId = queue.topic.producerId(store);
                batch.baseOffset = appendWithRoom(batch, batch.finish(producerId, queue.nextSequence()), beforeWaiting);
                // Advanced only after the append: a batch that failed must leave no gap.
                queue.advanceSequence(records);
                batch.end = batch.baseOffset + records;
                queue.last = batch;
            }
        } catch (RuntimeException | Error e) {
            failed(batch, e);
        }
        buffer.release(batch);
        if (batch.failure != null) {
            complete(batch);
        }
        return begun && batch.failure == null;
    }

    /**
     * Appends a batch, and repeats the append while the disk is full, until the deadline of the batch. The batches
     * behind it wait too, which keeps their order.
     *
     * @throws DiskFullException when the deadline has passed, the batch was given up, or the thread is interrupted
     */
    private long appendWithRoom(Batch<P> batch, EncodedBatch encoded, Runnable beforeWaiting) {
        while (true) {
            try {
                batch.log = batch.queue.log(store);
                return batch.log.append(encoded);
            } catch (DiskFullException e) {
                batch.refusal = e;
                beforeWaiting.run();
                LockSupport.parkNanos(this, ROOM_PAUSE_NANOS);
                // This may be a thread of the application: after an interrupt it must not wait for the disk.
                if (Thread.currentThread().isInterrupted() || runtime.nanoTime() - batch.deadlineNanos >= 0) {
                    throw e;
                }
                // The refusal is cleared before the state is read. If the thread that gives the batch up still reads
                // the
                // refusal, this thread sees the new state and does not append.
                batch.refusal = null;
                if (batch.state() != State.IN_FLIGHT) {
                    throw e;
                }
            }
        }
    }

    /** @return the failure; null after success */
    private Throwable awaitDurable(PartitionQueue<P> queue) {
        try {
            awaitDurable(queue.last);
            return null;
        } catch (RuntimeException | Error e) {
            return e;
        }
    }

    /** Waits in the log that the batch was appended to. */
    private void awaitDurable(Batch<P> batch) {
        batch.log.awaitDurable(batch.end);
    }

    private void durable(PartitionQueue<P> queue, Throwable problem, List<Batch<P>> round) {
        if (problem == null) {
            checkEach(queue, round);
            return;
        }
        // The log may or may not contain these sequences: the next batches get a new producer id.
        queue.topic.renewIdentity();
        for (Batch<P> batch : round) {
            if (batch.queue == queue && batch.failure == null) {
                failed(batch, problem);
            }
        }
    }

    /**
     * A durable last batch does not imply that earlier batches are durable. An earlier batch may have been given up
     * with its segment, or may be in a log that was replaced since.
     */
    private void checkEach(PartitionQueue<P> queue, List<Batch<P>> round) {
        for (Batch<P> batch : round) {
            boolean waits = batch.queue == queue && batch.failure == null && batch.end > 0;
            if (waits && batch != queue.last) {
                try {
                    awaitDurable(batch);
                } catch (RuntimeException | Error e) {
                    queue.topic.renewIdentity();
                    failed(batch, e);
                }
            }
        }
    }

    private void failed(Batch<P> batch, Throwable reason) {
        batch.failure = reason;
        if (reason instanceof TopicDeletedException || reason instanceof RecordTooLargeException) {
            batch.queue.topic.stale = true;
        }
        if (reason instanceof LogReplacedException) {
            batch.queue.forgetLog();
        }
    }

    private void complete(Batch<P> batch) {
        if (!batch.claim(State.IN_FLIGHT)) {
            return;
        }
        try {
            if (batch.failure == null) {
                batch.acknowledge(positions);
            } else {
                batch.fail(batch.failure);
            }
        } finally {
            buffer.settle(batch);
        }
    }
}
