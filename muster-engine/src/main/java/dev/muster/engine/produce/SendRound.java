package dev.muster.engine.produce;

import dev.muster.core.MusterException;
import dev.muster.core.SyncLevel;
import dev.muster.engine.partition.BatchSearch;
import dev.muster.engine.produce.Batch.State;
import dev.muster.engine.runtime.EngineRuntime;
import dev.muster.store.AppendOutcomeUnknownException;
import dev.muster.store.AppendPlace;
import dev.muster.store.DiskFullException;
import dev.muster.store.LogReplacedException;
import dev.muster.store.LogStore;
import dev.muster.store.LogStore.AppendRequest;
import dev.muster.store.PartitionAppender;
import dev.muster.store.PartitionLog;
import dev.muster.store.PendingAppend;
import dev.muster.store.RecordTooLargeException;
import dev.muster.store.TopicDeletedException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Writes batches to their logs and completes their futures. Only the writing thread of the buffer calls it, which keeps
 * the order of each partition. Never throws: a failure is the outcome of its batch, and the next batch is written.
 *
 * <pre>
 *   write a round
 *     for each wave: at most one batch of each partition
 *       append the wave in one call of the store
 *       while batches of it are refused for a reason that may pass, or their outcome is not known:
 *         acknowledge the batches that have their place; pause
 *         open new appenders, look for batches of unknown outcome, append the others again
 *     wait until all batches are durable, all partitions at once; complete their futures
 * </pre>
 */
final class SendRound<P> {
    /** The pause before the next attempt after a refusal. */
    private static final long RETRY_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final LogStore store;
    private final SendBuffer<P> buffer;
    private final RecordSender.PositionFactory<P> positions;
    private final EngineRuntime runtime;
    /** The queues that may hold the right to append. */
    private final Set<PartitionQueue<P>> holders = new HashSet<>();

    private long rounds;

    SendRound(LogStore store, SendBuffer<P> buffer, RecordSender.PositionFactory<P> positions, EngineRuntime runtime) {
        this.runtime = runtime;
        this.store = store;
        this.buffer = buffer;
        this.positions = positions;
    }

    /** Gives all rights to append back. */
    void closeAppenders() {
        holders.forEach(PartitionQueue::closeAppender);
        holders.clear();
    }

    /** @return the number of records in these batches */
    int write(List<Batch<P>> batches) {
        List<Batch<P>> placed = new ArrayList<>(batches.size());
        int records = 0;
        for (List<Batch<P>> wave : waves(batches)) {
            for (Batch<P> batch : wave) {
                records += batch.recordCount();
            }
            append(wave, placed);
            if (!isSynced(wave)) {
                // There is no sync to share with the next wave, so the futures are completed at once.
                acknowledge(placed);
            }
        }
        acknowledge(placed);
        return records;
    }

    private static boolean isSynced(List<? extends Batch<?>> wave) {
        return wave.getFirst().queue.topic.topic.settings().sync() == SyncLevel.COMMIT;
    }

    /** The batches in waves, so that a wave has at most one batch of each partition. */
    private List<List<Batch<P>>> waves(List<Batch<P>> batches) {
        if (batches.size() == 1) {
            return List.of(batches);
        }
        rounds++;
        List<List<Batch<P>>> waves = new ArrayList<>();
        for (Batch<P> batch : batches) {
            PartitionQueue<P> queue = batch.queue;
            queue.wave = queue.round == rounds ? queue.wave + 1 : 0;
            queue.round = rounds;
            if (queue.wave == waves.size()) {
                waves.add(new ArrayList<>());
            }
            waves.get(queue.wave).add(batch);
        }
        return waves;
    }

    // Appending

    /**
     * Appends the batches of a wave, and repeats refused appends until the deadlines of their batches. The batches
     * behind them wait too, which keeps their order.
     */
    private void append(List<Batch<P>> wave, List<Batch<P>> placed) {
        List<Batch<P>> open = encoded(wave);
        while (!open.isEmpty()) {
            List<Batch<P>> refused = appendOnce(open, placed);
            if (refused.isEmpty()) {
                return;
            }
            // The other batches are in their logs: they are acknowledged before the refused ones wait.
            acknowledge(placed);
            LockSupport.parkNanos(this, RETRY_PAUSE_NANOS);
            open = refused;
            open.removeIf(this::isGivenUp);
        }
    }

    /** The batches of a wave that no other thread has failed. */
    private List<Batch<P>> encoded(List<Batch<P>> wave) {
        List<Batch<P>> encoded = new ArrayList<>(wave.size());
        for (Batch<P> batch : wave) {
            if (!batch.begin()) {
                buffer.release(batch);
                continue;
            }
            try {
                batch.encode(batch.queue.topic.producerId(store), batch.queue.nextSequence());
                encoded.add(batch);
            } catch (RuntimeException | Error e) {
                fail(batch, e);
            }
        }
        return encoded;
    }

    /**
     * Appends each batch, or finds it in its log if it may be there.
     *
     * @return the batches to try again
     */
    private List<Batch<P>> appendOnce(List<Batch<P>> open, List<Batch<P>> placed) {
        List<Batch<P>> refused = new ArrayList<>(0);
        List<Batch<P>> asked = new ArrayList<>(open.size());
        List<AppendRequest> requests = new ArrayList<>(open.size());
        for (Batch<P> batch : open) {
            try {
                PartitionAppender appender = batch.queue.appender(store);
                holders.add(batch.queue);
                if (batch.doubt != null && isFound(batch, appender.log())) {
                    placed(batch, placed);
                } else {
                    batch.floor = appender.log().endOffset();
                    requests.add(new AppendRequest(appender, batch.encoded));
                    asked.add(batch);
                }
            } catch (RuntimeException | Error e) {
                refuseOrFail(batch, e, refused);
            }
        }
        List<PendingAppend> appends = begin(requests);
        for (int i = 0; i < appends.size(); i++) {
            Batch<P> batch = asked.get(i);
            try {
                batch.place = appends.get(i).place();
                batch.append = appends.get(i);
                placed(batch, placed);
            } catch (RuntimeException | Error e) {
                refuseOrFail(batch, e, refused);
            }
        }
        return refused;
    }

    private List<PendingAppend> begin(List<AppendRequest> requests) {
        try {
            return requests.isEmpty() ? List.of() : store.append(requests);
        } catch (RuntimeException | Error e) {
            return Collections.nCopies(requests.size(), PendingAppend.failed(e));
        }
    }

    /** True if a batch of unknown outcome is in the log. A new appender was opened, so the outcome does not change. */
    private boolean isFound(Batch<P> batch, PartitionLog log) {
        Optional<AppendPlace> found =
                BatchSearch.find(log, batch.floor, log.settle(), batch.producerId(), batch.baseSequence());
        if (found.isPresent()) {
            batch.place = found.get();
            batch.append = PendingAppend.placed(log, found.get());
        }
        batch.doubt = null;
        return found.isPresent();
    }

    private void placed(Batch<P> batch, List<Batch<P>> placed) {
        PartitionQueue<P> queue = batch.queue;
        // Advanced only after the append: a batch that failed must leave no gap.
        if (queue.topic.isIdentity(batch.producerId())) {
            queue.advanceSequence(batch.recordCount());
        }
        queue.last = batch;
        buffer.release(batch);
        placed.add(batch);
    }

    private void refuseOrFail(Batch<P> batch, Throwable reason, List<Batch<P>> refused) {
        if (reason instanceof AppendOutcomeUnknownException unknown) {
            batch.doubt = unknown;
            batch.queue.closeAppender();
            refused.add(batch);
        } else if (reason instanceof MusterException failure && failure.retryable()) {
            if (batch.doubt == null) {
                batch.refusal = failure;
            }
            if (!(failure instanceof DiskFullException)) {
                batch.queue.closeAppender();
            }
            refused.add(batch);
        } else {
            fail(batch, reason);
        }
    }

    /** True if a refused batch is not tried again. Then its futures fail, unless another thread has failed them. */
    private boolean isGivenUp(Batch<P> batch) {
        MusterException reason = batch.doubt != null ? batch.doubt : batch.refusal;
        // This may be a thread of the application: after an interrupt it must not wait for the store.
        if (Thread.currentThread().isInterrupted() || runtime.nanoTime() - batch.deadlineNanos >= 0) {
            fail(batch, reason);
            return true;
        }
        // The refusal is cleared before the state is read. If the thread that gives the batch up still reads the
        // refusal, this thread sees the new state and does not append.
        batch.refusal = null;
        if (batch.state() != State.IN_FLIGHT) {
            fail(batch, reason);
            return true;
        }
        return false;
    }

    // Acknowledging

    /** Acknowledges batches that have their places, with one sync for each queue, and empties the list. */
    private void acknowledge(List<Batch<P>> placed) {
        if (placed.isEmpty()) {
            return;
        }
        Set<PartitionQueue<P>> queues = new LinkedHashSet<>();
        placed.forEach(batch -> queues.add(batch.queue));
        sync(List.copyOf(queues), placed);
        placed.forEach(this::complete);
        placed.clear();
    }

    /**
     * Syncs all queues at the same time: in sequence, a round over many partitions would take as long as all their
     * syncs.
     */
    private void sync(List<PartitionQueue<P>> queues, List<Batch<P>> batches) {
        List<CompletableFuture<Void>> others = queues.stream()
                .skip(1)
                .map(queue -> queue.last.append.durable())
                .toList();
        durable(queues.getFirst(), awaitDurable(queues.getFirst().last), batches);
        for (int i = 0; i < others.size(); i++) {
            durable(queues.get(i + 1), outcome(others.get(i)), batches);
        }
    }

    private static Throwable outcome(CompletableFuture<Void> sync) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    sync.get();
                    return null;
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

    /** @return the failure; null after success */
    private static Throwable awaitDurable(Batch<?> batch) {
        try {
            batch.append.awaitDurable();
            return null;
        } catch (RuntimeException | Error e) {
            return e;
        }
    }

    private void durable(PartitionQueue<P> queue, Throwable problem, List<Batch<P>> batches) {
        if (problem == null) {
            checkEach(queue, batches);
            return;
        }
        // The log may or may not contain these sequences: the next batches get a new producer id.
        queue.topic.renewIdentity();
        for (Batch<P> batch : batches) {
            if (batch.queue == queue && batch.failure == null) {
                failed(batch, problem);
            }
        }
    }

    /**
     * A durable last batch does not imply that earlier batches are durable. An earlier batch may have been given up
     * with its segment, or may be in a log that was replaced since.
     */
    private void checkEach(PartitionQueue<P> queue, List<Batch<P>> batches) {
        for (Batch<P> batch : batches) {
            if (batch.queue == queue && batch != queue.last && batch.failure == null) {
                Throwable problem = awaitDurable(batch);
                if (problem != null) {
                    queue.topic.renewIdentity();
                    failed(batch, problem);
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

    /** Fails a batch that has no place. */
    private void fail(Batch<P> batch, Throwable reason) {
        failed(batch, reason);
        buffer.release(batch);
        complete(batch);
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
