package dev.muster.engine.partition;

import dev.muster.engine.runtime.EngineRuntime;
import dev.muster.store.PartitionLog;
import dev.muster.store.read.LogReader;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Idle readers, kept at the position where a client stopped reading. The client's next fetch most likely continues
 * there, and the reader has its file open and its position known. Unused readers are closed after a while: the disk
 * space of a deleted file is free only when no process has it open.
 *
 * <p>A reader keeps the bytes that it read last in memory. So the number of active readers is bounded, and the memory
 * of idle readers too.
 */
public final class ReaderPool implements AutoCloseable {
    private static final int WAITING_MAX = 128;
    private static final int READING_MAX = Math.max(8, 2 * Runtime.getRuntime().availableProcessors());

    private static final long WAITING_NANOS_MAX = TimeUnit.SECONDS.toNanos(1);

    /** The position of an idle reader. */
    private record Place(PartitionLog log, long offset) {}

    /** @param bytes the memory that the reader keeps */
    private record Waiting(LogReader reader, long bytes, long sinceNanos) {}

    /** Idle readers, the longest idle first. */
    private final LinkedHashMap<Place, Waiting> waiting = new LinkedHashMap<>();

    private final Semaphore places = new Semaphore(READING_MAX);
    private final EngineRuntime runtime;
    private final long bytesMax;
    private long bytes;
    private boolean closed;

    /** @param bytesMax the memory that all idle readers together may keep */
    public ReaderPool(long bytesMax, EngineRuntime runtime) {
        this.runtime = runtime;
        this.bytesMax = bytesMax;
    }

    /**
     * Returns a reader at this offset, which the caller must give back or drop. Waits while too many readers are
     * active.
     */
    public LogReader take(PartitionLog log, long offset) {
        places.acquireUninterruptibly();
        try {
            Waiting known;
            synchronized (this) {
                known = waiting.remove(new Place(log, offset));
                bytes -= known == null ? 0 : known.bytes();
            }
            return known != null ? known.reader() : log.reader(offset);
        } catch (Throwable e) {
            places.release();
            throw e;
        }
    }

    /** Closes a reader, instead of {@link #giveBack}, after a failure. */
    public void drop(LogReader reader) {
        places.release();
        reader.close();
    }

    public void giveBack(PartitionLog log, LogReader reader) {
        places.release();
        List<LogReader> leaving = new ArrayList<>();
        synchronized (this) {
            if (closed) {
                leaving.add(reader);
            } else {
                Place place = new Place(log, reader.position());
                // Removed first, so that the new entry goes to the end of the map: it is the shortest idle.
                Waiting other = waiting.remove(place);
                if (other != null) {
                    bytes -= other.bytes();
                    leaving.add(other.reader());
                }
                waiting.put(place, new Waiting(reader, reader.memoryBytes(), runtime.nanoTime()));
                bytes += reader.memoryBytes();
                while (!waiting.isEmpty() && (waiting.size() > WAITING_MAX || bytes > bytesMax)) {
                    leaving.add(takeOldest());
                }
            }
        }
        leaving.forEach(LogReader::close);
    }

    private LogReader takeOldest() {
        Waiting oldest = waiting.pollFirstEntry().getValue();
        bytes -= oldest.bytes();
        return oldest.reader();
    }

    /** Closes readers that have been idle for a second. Called about once a second. */
    public void closeForgotten(long nowNanos) {
        List<LogReader> leaving = new ArrayList<>();
        synchronized (this) {
            while (!waiting.isEmpty()
                    && nowNanos - waiting.firstEntry().getValue().sinceNanos() >= WAITING_NANOS_MAX) {
                leaving.add(takeOldest());
            }
        }
        leaving.forEach(LogReader::close);
    }

    @Override
    public synchronized void close() {
        closed = true;
        waiting.values().forEach(each -> each.reader().close());
        waiting.clear();
    }
}
