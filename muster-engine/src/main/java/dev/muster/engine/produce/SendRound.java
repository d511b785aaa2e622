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
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Writes batches to their logs and tells their futures. Only the thread that has the turn may call it: this is what
 * keeps the order of a partition. Never throws: what goes wrong is the outcome of a batch, and the next one goes on.
 */
final class SendRound<P> {
    /** Platform threads, made when needed and gone when idle: a sync holds its thread in a system call. */
    private static final ExecutorService SYNCS = EngineThreads.cached("muster-sync-");

    /** How long to wait on a full disk before the next try. */
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
            // Those in front are in the log: they do not wait for room with this one.
            if (!append(batch, () -> syncAndTell(unsynced))) {
                continue;
            }
            if (batch.lane.topic.topic.settings().sync() == SyncLevel.COMMIT) {
                unsynced.add(batch);
            } else {
                // Nothing to wait for, so nothing is gained by telling them all at the end.
                durable(batch.lane, awaitDurable(batch.lane), batches);
                tell(batch);
            }
        }
        syncAndTell(unsynced);
        return records;
    }

    /** Acknowledges batches that are in the log, with one sync for each lane, and empties the list. */
    private void syncAndTell(List<Batch<P>> written) {
        if (written.isEmpty()) {
            return;
        }
        Set<PartitionQueue<P>> lanes = new LinkedHashSet<>();
        written.forEach(batch -> lanes.add(batch.lane));
        sync(List.copyOf(lanes), written);
        written.forEach(this::tell);
        written.clear();
    }

    /** Syncs all lanes at the same time: one after the other a round over many partitions would take as many syncs. */
    private void sync(List<PartitionQueue<P>> lanes, List<Batch<P>> batches) {
        List<Future<Throwable>> others = lanes.stream()
                .skip(1)
                .map(lane -> SYNCS.submit(() -> awaitDurable(lane)))
                .toList();
        durable(lanes.getFirst(), awaitDurable(lanes.getFirst()), batches);
        for (int i = 0; i < others.size(); i++) {
            durable(lanes.get(i + 1), outcome(others.get(i)), batches);
        }
    }

    private static Throwable outcome(Future<Throwable> sync) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return sync.get();
                } catch (InterruptedException e) {
                    // A helping thread's interrupt is not about this: the outcome belongs to others too.
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
     * @param beforeWaiting called when the disk is full, before waiting for room
     * @return True if the batch is in the log and waits for its acknowledgement
     */
    private boolean append(Batch<P> batch, Runnable beforeWaiting) {
        PartitionQueue<P> lane = batch.lane;
        boolean begun = batch.begin();
        try {
            if (begun) {
                int records = batch.recordCount();
                long producerId = lane.topic.producerId(store);
                batch.baseOffset = appendWithRoom(batch, batch.finish(producerId, lane.nextSequence()), beforeWaiting);
                // Only now: a batch that failed must leave no gap.
                lane.advanceSequence(records);
                batch.end = batch.baseOffset + records;
                lane.last = batch;
            }
        } catch (RuntimeException | Error e) {
            failed(batch, e);
        }
        buffer.release(batch);
        if (batch.failure != null) {
            tell(batch);
        }
        return begun && batch.failure == null;
    }

    /**
     * Appends a batch, again and again while the disk is full: there may be room before the time of the batch is over.
     * The batches behind it wait too, which keeps their order.
     *
     * @throws DiskFullException when the time is over, the batch was given up, or the thread is interrupted
     */
    private long appendWithRoom(Batch<P> batch, EncodedBatch encoded, Runnable beforeWaiting) {
        while (true) {
            try {
                batch.log = batch.lane.log(store);
                return batch.log.append(encoded);
            } catch (DiskFullException e) {
                batch.refusal = e;
                beforeWaiting.run();
                LockSupport.parkNanos(this, ROOM_PAUSE_NANOS);
                // A thread that helps is a user's: an interrupt must not wait for the disk.
                if (Thread.currentThread().isInterrupted() || runtime.nanoTime() - batch.deadlineNanos >= 0) {
                    throw e;
                }
                // In this order: after a refusal was read by the thread that gave the batch up, nothing is appended.
                batch.refusal = null;
                if (batch.state() != State.IN_FLIGHT) {
                    throw e;
                }
            }
        }
    }

    /** @return what went wrong; null: nothing */
    private Throwable awaitDurable(PartitionQueue<P> lane) {
        try {
            awaitDurable(lane.last);
            return null;
        } catch (RuntimeException | Error e) {
            return e;
        }
    }

    /** In the log that the batch was appended to. */
    private void awaitDurable(Batch<P> batch) {
        batch.log.awaitDurable(batch.end);
    }

    private void durable(PartitionQueue<P> lane, Throwable problem, List<Batch<P>> round) {
        if (problem == null) {
            checkEach(lane, round);
            return;
        }
        // Whether the log still counts these sequences is not known: go on under another name.
        lane.topic.renewIdentity();
        for (Batch<P> batch : round) {
            if (batch.lane == lane && batch.failure == null) {
                failed(batch, problem);
            }
        }
    }

    /**
     * That the last batch is durable does not say it of those before: they may have been given up with their segment,
     * or be in a log that was replaced since.
     */
    private void checkEach(PartitionQueue<P> lane, List<Batch<P>> round) {
        for (Batch<P> batch : round) {
            boolean waits = batch.lane == lane && batch.failure == null && batch.end > 0;
            if (waits && batch != lane.last) {
                try {
                    awaitDurable(batch);
                } catch (RuntimeException | Error e) {
                    lane.topic.renewIdentity();
                    failed(batch, e);
                }
            }
        }
    }

    private void failed(Batch<P> batch, Throwable reason) {
        batch.failure = reason;
        if (reason instanceof TopicDeletedException || reason instanceof RecordTooLargeException) {
            batch.lane.topic.stale = true;
        }
        if (reason instanceof LogReplacedException) {
            batch.lane.forgetLog();
        }
    }

    private void tell(Batch<P> batch) {
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
