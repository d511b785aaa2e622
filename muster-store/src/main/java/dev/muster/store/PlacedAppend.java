package dev.muster.store;

import dev.muster.core.SyncLevel;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** An append to a log that places batches on the calling thread, and syncs on the thread that waits. */
final class PlacedAppend implements PendingAppend {
    private static final AtomicInteger THREADS = new AtomicInteger();

    /** Platform threads, because a sync holds its thread in a system call. An idle thread ends after a minute. */
    private static final Executor SYNCS = Executors.newCachedThreadPool(task -> Thread.ofPlatform()
            .daemon()
            .name("muster-sync-" + THREADS.getAndIncrement())
            .unstarted(task));

    private final PartitionLog log;
    private final AppendPlace place;

    PlacedAppend(PartitionLog log, AppendPlace place) {
        this.log = log;
        this.place = place;
    }

    @Override
    public AppendPlace place() {
        return place;
    }

    @Override
    public void awaitDurable() {
        log.awaitDurable(place.endOffset());
    }

    @Override
    public CompletableFuture<AppendPlace> placed() {
        return CompletableFuture.completedFuture(place);
    }

    @Override
    public CompletableFuture<Void> durable() {
        if (log.topic().settings().sync() == SyncLevel.COMMIT) {
            return CompletableFuture.runAsync(this::awaitDurable, SYNCS);
        }
        try {
            awaitDurable();
            return CompletableFuture.completedFuture(null);
        } catch (RuntimeException | Error e) {
            return CompletableFuture.failedFuture(e);
        }
    }
}
