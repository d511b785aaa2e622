package dev.muster.engine.partition;

import dev.muster.engine.runtime.EngineThreads;
import dev.muster.store.PartitionLog;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * Syncs several partitions at the same time, for requests that wait for more than one: in sequence the syncs would take
 * several times as long. One thread at a time syncs a partition, for all requests that wait for it.
 */
public final class PartitionSyncs {
    private final Executor threads;
    private final Map<PartitionLog, Line> lines = new ConcurrentHashMap<>();

    public PartitionSyncs() {
        this(EngineThreads.blocking("muster-kafka-sync"));
    }

    PartitionSyncs(Executor threads) {
        this.threads = threads;
    }

    /** Completes as {@link PartitionLog#awaitDurable} returns. */
    public CompletableFuture<Void> sync(PartitionLog log, long endOffset) {
        Waiter waiter = new Waiter(endOffset, new CompletableFuture<>());
        Line line = lines.computeIfAbsent(log, Line::new);
        if (line.join(waiter)) {
            try {
                threads.execute(line::serve);
            } catch (RejectedExecutionException | OutOfMemoryError e) {
                // No thread is available: this one serves the line, so that its requests do not wait for ever.
                line.serve();
            }
        }
        return waiter.durable();
    }

    private record Waiter(long endOffset, CompletableFuture<Void> durable) {}

    /** The requests that wait for one partition. */
    private static final class Line {
        private final PartitionLog log;
        private List<Waiter> waiting = new ArrayList<>();
        private boolean served;

        Line(PartitionLog log) {
            this.log = log;
        }

        /** Adds a request. Returns true if the caller must start a thread to serve the line. */
        synchronized boolean join(Waiter waiter) {
            waiting.add(waiter);
            boolean first = !served;
            served = true;
            return first;
        }

        private synchronized List<Waiter> next() {
            List<Waiter> next = waiting;
            waiting = new ArrayList<>();
            served = !next.isEmpty();
            return next;
        }

        void serve() {
            for (List<Waiter> next = next(); !next.isEmpty(); next = next()) {
                // The newest request first: its sync covers the older ones. Each still asks the log, because its
                // own records may have been given up.
                next.reversed().forEach(this::sync);
            }
        }

        private void sync(Waiter waiter) {
            try {
                log.awaitDurable(waiter.endOffset());
                waiter.durable().complete(null);
            } catch (Throwable e) {
                // Errors too: no other thread would complete this request, and the next requests must still be served.
                waiter.durable().completeExceptionally(e);
            }
        }
    }
}
