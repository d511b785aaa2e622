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

/** The right to append to a partition of an {@link UnpleasantStore}. It is lost to the next appender that is opened. */
final class UnpleasantAppender implements PartitionAppender {
    private static final int UNUSED_OFFSETS_MAX = 3;

    private final UnpleasantLog log;
    private final PartitionAppender target;
    private final OneTimeEvent loss = new OneTimeEvent();
    private boolean closed;
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
    public synchronized boolean isHeld() {
        return !closed && !loss.hasHappened();
    }

    @Override
    public Registration onLost(Runnable lost) {
        return loss.listen(lost);
    }

    /** Another appender is the holder now. A late batch never gets a place, unless this process opened that appender. */
    synchronized void lose() {
        late = null;
        if (!closed) {
            loss.happens();
        }
    }

    /** This process opens another appender: late batches get their places before. */
    synchronized void settle() {
        if (late != null && store().writers().holder(log.topic().id(), log.partition()) == this) {
            target.append(late).place();
        }
        late = null;
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
        store().trouble().appends().execute(() -> {
            try {
                placed.complete(place(batch, wanted));
            } catch (RuntimeException | Error e) {
                placed.completeExceptionally(e);
            }
        });
        return new Begun(placed);
    }

    /** Under the lock, so that no append of this appender comes after its loss. */
    private synchronized AppendPlace place(EncodedBatch batch, long wanted) {
        if (closed) {
            throw new IllegalStateException("this appender is closed");
        }
        if (loss.hasHappened() || late != null) {
            throw new FencedException(log.name());
        }
        if (store().trouble().fails()) {
            return fail(batch, wanted);
        }
        return placeNow(batch, wanted);
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
        throw new AppendOutcomeUnknownException(log.name(), null);
    }

    private static EncodedBatch copy(EncodedBatch batch) {
        return new EncodedBatch(
                Arrays.copyOfRange(batch.array(), batch.at(), batch.at() + batch.size()), batch.size());
    }

    private AppendPlace placeNow(EncodedBatch batch, long wanted) {
        widen(batch);
        return (wanted < 0 ? target.append(batch) : target.appendAt(wanted, batch)).place();
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
    public synchronized void close() {
        closed = true;
        if (late == null) {
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
                    place -> log.awaitDurable(place.endOffset()), store().trouble().appends());
        }
    }
}
