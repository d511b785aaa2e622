package dev.muster.engine.read;

import dev.muster.engine.runtime.EngineThreads;
import dev.muster.store.LogReader;
import dev.muster.store.LogSlice;
import dev.muster.store.PartitionLog;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Reads one partition, the next piece already while the last one is decoded. For one thread; the reading in advance is
 * done by another, which has the {@link LogReader} to itself until it is done. Only a reader far behind is read ahead
 * for: a reader that waits at the end costs no thread.
 */
final class ReadAhead implements AutoCloseable {
    private static final boolean WORTH_IT = Runtime.getRuntime().availableProcessors() > 1;
    private static final long IDLE_SECONDS = 5;

    // Platform threads, because a read may hold its thread in a system call. When all are busy the caller reads
    // itself.
    private static final ExecutorService READERS = new ThreadPoolExecutor(
            0,
            Math.max(1, Runtime.getRuntime().availableProcessors()),
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            EngineThreads.numbered("muster-read-ahead-"),
            new ThreadPoolExecutor.AbortPolicy());

    private final LogReader reader;
    private Future<LogSlice> ahead;
    private long aheadFrom;

    ReadAhead(PartitionLog log, long position) {
        this.reader = log.reader(position);
    }

    /** The batches at this position; see {@link LogReader#read}. */
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

    /** The batch at this position alone. */
    LogSlice readOne(long position) {
        if (ahead != null) {
            await();
        }
        reader.seek(position);
        return reader.read(1);
    }

    /** More will be wanted from where the reader is now. */
    void readAhead(int bytesMax) {
        if (!WORTH_IT || ahead != null) {
            return;
        }
        aheadFrom = reader.position();
        Callable<LogSlice> reading = () -> reader.read(bytesMax);
        try {
            ahead = READERS.submit(reading);
        } catch (RejectedExecutionException e) {
            // All are busy with other partitions.
            ahead = null;
        }
    }

    /** What was read ahead; null if that failed; the next read throws the reason. */
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
