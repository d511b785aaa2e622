package dev.muster.testkit.unpleasant;

import dev.muster.store.AppendOutcomeUnknownException;
import dev.muster.store.AppendPlace;
import dev.muster.store.FencedException;
import dev.muster.store.PartitionAppender;
import dev.muster.store.PartitionLog;
import dev.muster.store.PendingAppend;
import dev.muster.store.StoreUnavailableException;
import dev.muster.store.batch.BatchHeader;
import dev.muster.store.batch.EncodedBatch;
import dev.muster.store.watch.OneTimeEvent;
import dev.muster.store.watch.Registration;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.ReentrantLock;

/** The right to append to a partition of an {@link UnpleasantStore}. It is lost to the next appender that is opened. */
final class UnpleasantAppender implements PartitionAppender {
    private static final int UNUSED_OFFSETS_MAX = 3;

    private final UnpleasantLog log;
    private final PartitionAppender target;
    private final OneTimeEvent loss = new OneTimeEvent();
    /**
     * Held during appends, by threads of this process only: no process may wait for another one, which may be stopped.
     */
    private final ReentrantLock lock = new ReentrantLock();

    private volatile boolean closed;
    /** True once another appender is the holder. */
    private volatile boolean taken;
    /** An append that a later one overtakes, if the store makes that mistake. */
    private Runnable overtaken;

    /** A batch whose outcome was reported as unknown, and that gets its place when the next appender is opened. */
    private EncodedBatch late;

    UnpleasantAppender(UnpleasantLog log, PartitionAppender target) {
        this.log = log;
        this.target = target;
    }

    UnpleasantStore store() {
        return log.store();
    }

    @Override
    public PartitionLog log() {
        return log;
    }

    @Override
    public boolean isHeld() {
        return !closed && !loss.hasHappened();
    }

    @Override
    public Registration onLost(Runnable lost) {
        return loss.listen(lost);
    }

    /**
     * Another appender is the holder now. A late batch never gets a place. An append in progress may still get its
     * place.
     */
    void lose() {
        taken = true;
        if (!closed) {
            loss.happens();
        }
    }

    /** This process opens another appender: a late batch gets its place before. */
    void settle() {
        if (!taken) {
            land();
        }
    }

    /** The late batch gets its place. */
    void land() {
        lock.lock();
        try {
            if (late != null) {
                target.append(late).place();
            }
            late = null;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public PendingAppend append(EncodedBatch batch) {
        return begin(batch, -1);
    }

    @Override
    public PendingAppend appendAt(long offset, EncodedBatch batch) {
        if (offset < 0) {
            throw new IllegalArgumentException("no offset: " + offset);
        }
        return begin(batch, offset);
    }

    private PendingAppend begin(EncodedBatch batch, long wanted) {
        CompletableFuture<AppendPlace> placed = new CompletableFuture<>();
        if (store().trouble().makes(StoreMistake.APPENDS_OVERTAKE) && overtaken == null) {
            overtaken = () -> complete(placed, batch, wanted);
            return new Begun(placed);
        }
        store().trouble().appends().execute(() -> {
            complete(placed, batch, wanted);
            Runnable before = overtaken;
            overtaken = null;
            if (before != null) {
                before.run();
            }
        });
        return new Begun(placed);
    }

    private void complete(CompletableFuture<AppendPlace> placed, EncodedBatch batch, long wanted) {
        try {
            placed.complete(place(batch, wanted));
        } catch (RuntimeException | Error e) {
            placed.completeExceptionally(e);
        }
    }

    private AppendPlace place(EncodedBatch batch, long wanted) {
        lock.lock();
        try {
            if (closed) {
                throw new IllegalStateException("this appender is closed");
            }
            if (loss.hasHappened()) {
                throw new FencedException(log.name());
            }
            if (store().trouble().makes(StoreMistake.LATE_BATCH_AFTER_OPENING)) {
                log.landLate();
            }
            return store().trouble().fails() ? fail(batch, wanted) : placeNow(batch, wanted);
        } finally {
            lock.unlock();
        }
    }

    private AppendPlace fail(EncodedBatch batch, long wanted) {
        if (store().trouble().oneIn(3)) {
            throw new StoreUnavailableException("append to " + log.name(), null);
        }
        store().trouble().countUnknown();
        switch (store().trouble().below(3)) {
            case 0 -> placeNow(batch, wanted);
            case 1 -> late = wanted < 0 ? copy(batch) : null;
            default -> {
                // The batch never gets a place.
            }
        }
        loss.happens();
        if (store().trouble().makes(StoreMistake.UNKNOWN_REPORTED_AS_NO_EFFECT)) {
            throw new StoreUnavailableException("append to " + log.name(), null);
        }
        throw new AppendOutcomeUnknownException(log.name(), null);
    }

    private static EncodedBatch copy(EncodedBatch batch) {
        return new EncodedBatch(Arrays.copyOfRange(batch.array(), batch.at(), batch.at() + batch.size()), batch.size());
    }

    private AppendPlace placeNow(EncodedBatch batch, long wanted) {
        widen(batch);
        if (store().trouble().makes(StoreMistake.PLACE_REPORTED_EARLY)) {
            return new AppendPlace(log.refresh() + 1, log.refresh() + 1 + batch.offsetCount());
        }
        boolean anywhere = wanted < 0 || store().trouble().makes(StoreMistake.CONDITION_IGNORED);
        return (anywhere ? target.append(batch) : target.appendAt(wanted, batch)).place();
    }

    /** Adds unused offsets behind the records of some batches. */
    private void widen(EncodedBatch batch) {
        if (store().trouble().oneIn(3)) {
            int unused = 1 + store().trouble().below(UNUSED_OFFSETS_MAX);
            ByteBuffer.wrap(batch.array())
                    .putInt(batch.at() + BatchHeader.LAST_OFFSET_DELTA_AT, batch.recordCount() - 1 + unused);
            // This computes the checksum anew.
            BatchHeader.setMaxTimestamp(batch.array(), batch.at(), batch.maxTimestamp());
        }
    }

    @Override
    public void close() {
        closed = true;
        if (!loss.hasHappened()) {
            store().writers().release(log.topic().id(), log.partition(), this);
            target.close();
        }
    }

    private final class Begun implements PendingAppend {
        private final CompletableFuture<AppendPlace> placed;

        Begun(CompletableFuture<AppendPlace> placed) {
            this.placed = placed;
        }

        @Override
        public AppendPlace place() {
            boolean interrupted = false;
            try {
                while (true) {
                    try {
                        return placed.get();
                    } catch (InterruptedException e) {
                        interrupted = true;
                    } catch (ExecutionException e) {
                        throw thrown(e.getCause());
                    }
                }
            } finally {
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
            }
        }

        private static RuntimeException thrown(Throwable cause) {
            if (cause instanceof Error error) {
                throw error;
            }
            return cause instanceof RuntimeException e ? e : new CompletionException(cause);
        }

        @Override
        public void awaitDurable() {
            log.awaitDurable(place().endOffset());
        }

        @Override
        public CompletableFuture<AppendPlace> placed() {
            return placed.copy();
        }

        @Override
        public CompletableFuture<Void> durable() {
            return placed.thenAcceptAsync(
                    place -> log.awaitDurable(place.endOffset()),
                    store().trouble().appends());
        }
    }
}
