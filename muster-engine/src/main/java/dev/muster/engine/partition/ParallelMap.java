package dev.muster.engine.partition;

import dev.muster.engine.runtime.EngineThreads;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Function;

/**
 * Applies a function to many items in parallel. For work that mostly waits for syncs: threads that wait at the same
 * time share one commit of the file system's journal. Work that does not wait costs more processor time this way.
 */
public final class ParallelMap {
    private static final int THREADS = 16;
    /** Fewer items are done by the calling thread alone. */
    private static final int MANY = 4;

    private final Executor threads;
    /** Of threads beside the calling ones, for all calls together. */
    private final Semaphore free = new Semaphore(THREADS);

    public ParallelMap() {
        this(EngineThreads.blocking("muster-kafka-many"));
    }

    ParallelMap(Executor threads) {
        this.threads = threads;
    }

    /**
     * Returns when all items are done, even if the caller is interrupted: other threads may still use the caller's
     * memory.
     *
     * @return the results in the order of the items; the first exception of an item is thrown after all are done
     */
    public <T, R> List<R> map(List<T> things, Function<T, R> work) {
        if (things.size() < MANY) {
            return things.stream().map(work).toList();
        }
        Round<T, R> round = new Round<>(things, work);
        int helpers = Math.min(THREADS, things.size()) - 1;
        while (helpers > 0 && helps(round)) {
            helpers--;
        }
        round.takePart();
        return round.results();
    }

    /** Returns true if another thread takes part. */
    private boolean helps(Round<?, ?> round) {
        if (!free.tryAcquire()) {
            return false;
        }
        try {
            threads.execute(() -> {
                round.takePart();
                free.release();
            });
            return true;
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            // No thread is available: the threads that started, and the calling one, do all items.
            free.release();
            return false;
        }
    }

    private static final class Round<T, R> {
        private final List<T> things;
        private final Function<T, R> work;
        private final AtomicInteger next = new AtomicInteger();
        private final AtomicInteger left;
        private final AtomicReferenceArray<R> results;
        private final AtomicReference<Throwable> failure = new AtomicReference<>();
        private final CompletableFuture<Void> done = new CompletableFuture<>();

        Round(List<T> things, Function<T, R> work) {
            this.things = things;
            this.work = work;
            this.left = new AtomicInteger(things.size());
            this.results = new AtomicReferenceArray<>(things.size());
        }

        /** Works on items until none is left. A thread that starts late finds none; no thread waits for it. */
        void takePart() {
            for (int i = next.getAndIncrement(); i < things.size(); i = next.getAndIncrement()) {
                try {
                    results.set(i, work.apply(things.get(i)));
                } catch (Throwable e) {
                    // Kept for the caller: thrown here it would be lost.
                    failure.compareAndSet(null, e);
                } finally {
                    if (left.decrementAndGet() == 0) {
                        done.complete(null);
                    }
                }
            }
        }

        List<R> results() {
            done.join();
            switch (failure.get()) {
                case null -> {}
                case RuntimeException e -> throw e;
                case Error e -> throw e;
                case Throwable e -> throw new IllegalStateException(e);
            }
            List<R> all = new ArrayList<>(things.size());
            for (int i = 0; i < things.size(); i++) {
                all.add(results.get(i));
            }
            return all;
        }
    }
}
