package dev.muster.engine.partition;

import dev.muster.engine.runtime.EngineThreads;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Function;

/**
 * Does the same with many things, some at a time. For work that mostly waits for syncs: threads that wait at the same
 * time waits for the same commit of the file system's journal. Work that does not wait takes more of the processor this
 * way, not less.
 */
public final class ParallelMap implements AutoCloseable {
    private static final int THREADS = 16;
    /** For fewer things the calling thread is enough. */
    private static final int MANY = 4;

    private static final long IDLE_SECONDS = 5;

    private final ThreadPoolExecutor threads = new ThreadPoolExecutor(
            THREADS,
            THREADS,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            EngineThreads.numbered("muster-kafka-many-"));

    public ParallelMap() {
        threads.allowCoreThreadTimeOut(true);
    }

    /**
     * Returns when all is done, also when the caller is interrupted: what others work on may be the caller's memory.
     *
     * @return in the order of the things; what is thrown for one of them is thrown here, in the end
     */
    public <T, R> List<R> map(List<T> things, Function<T, R> work) {
        if (things.size() < MANY) {
            return things.stream().map(work).toList();
        }
        Round<T, R> round = new Round<>(things, work);
        try {
            for (int i = 1; i < Math.min(THREADS, things.size()); i++) {
                threads.execute(round::takePart);
            }
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            // No thread to be had: those that are there do it all, and this one is.
            assert e != null;
        }
        round.takePart();
        return round.results();
    }

    @Override
    public void close() {
        threads.shutdown();
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

        /** A late thread finds nothing to do, and no thread waits for it. */
        void takePart() {
            for (int i = next.getAndIncrement(); i < things.size(); i = next.getAndIncrement()) {
                try {
                    results.set(i, work.apply(things.get(i)));
                } catch (Throwable e) {
                    // For the caller: here it would be lost.
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
