package dev.muster.engine.read;

import dev.muster.engine.runtime.EngineThreads;
import dev.muster.store.PartitionLog;
import dev.muster.store.read.LogReader;
import dev.muster.store.read.LogSlice;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;

/**
 * Reads one partition, and reads the next piece while the last one is decoded. For one thread. Another thread reads
 * ahead and has the {@link LogReader} to itself until it is done. Only a reader far behind reads ahead: a reader that
 * waits at the end of the log uses no thread.
 */
final class ReadAhead implements AutoCloseable {
    private static final boolean WORTH_IT = Runtime.getRuntime().availableProcessors() > 1;

    private static final Executor THREADS = EngineThreads.blocking("muster-read-ahead");

    /** Of reads in advance in this process: one for each processor. */
    private static final Semaphore FREE = new Semaphore(Runtime.getRuntime().availableProcessors());

    private final LogReader reader;
    private CompletableFuture<LogSlice> ahead;
    private long aheadFrom;

    ReadAhead(PartitionLog log, long position) {
        this.reader = log.reader(position);
    }

    /** Reads the batches at this position; see {@link LogReader#read}. */
    LogSlice read(long position, int bytesMax) {
        if (ahead != null) {
            LogSlice slice = await();
            if (slice != null && !slice.isEmpty() && aheadFrom == position) {
                return slice;
            }
        }
        if (reader.position() != position) {
            reader.seek(position);
        }
        return reader.read(bytesMax);
    }

    /** Reads the batch at this position alone. */
    LogSlice readOne(long position) {
        if (ahead != null) {
            await();
        }
        reader.seek(position);
        return reader.read(1);
    }

    /** Starts to read the next piece, from the present position of the reader. */
    void readAhead(int bytesMax) {
        if (!WORTH_IT || ahead != null) {
            return;
        }
        if (!FREE.tryAcquire()) {
            // All threads are busy with other partitions: the caller reads itself.
            return;
        }
        aheadFrom = reader.position();
        try {
            ahead = CompletableFuture.supplyAsync(
                    () -> {
                        try {
                            return reader.read(bytesMax);
                        } finally {
                            FREE.release();
                        }
                    },
                    THREADS);
        } catch (OutOfMemoryError e) {
            // No thread is available.
            FREE.release();
        }
    }

    /** Returns the piece that was read ahead; null if that read failed. The next read then throws the cause. */
    private LogSlice await() {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return ahead.get();
                } catch (InterruptedException e) {
                    interrupted = true;
                } catch (ExecutionException | CancellationException e) {
                    return null;
                }
            }
        } finally {
            ahead = null;
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public void close() {
        if (ahead != null) {
            await();
        }
        reader.close();
    }
}
