package dev.muster.engine.partition;

import dev.muster.engine.runtime.EngineRuntime;
import dev.muster.store.LogReader;
import dev.muster.store.PartitionLog;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Readers that wait where a client stopped reading: its next fetch most likely goes on there, and a reader that is
 * there already has its file open and its place known. Those that no client came back for are closed after a while: the
 * room of a file that was trimmed away or deleted is free when no process has it open any more.
 *
 * <p>A reader keeps what it read last in memory. So there is a bound for how many read at one time, and another for
 * what those that wait keep.
 */
public final class ReaderPool implements AutoCloseable {
    private static final int WAITING_MAX = 128;
    private static final int READING_MAX = Math.max(8, 2 * Runtime.getRuntime().availableProcessors());

    private static final long WAITING_NANOS_MAX = TimeUnit.SECONDS.toNanos(1);

    /** Where a reader waits. */
    private record Place(PartitionLog log, long offset) {}

    /** @param bytes what it keeps in memory meanwhile */
    private record Waiting(LogReader reader, long bytes, long sinceNanos) {}

    /** Those that wait longest come first. */
    private final LinkedHashMap<Place, Waiting> waiting = new LinkedHashMap<>();

    private final Semaphore places = new Semaphore(READING_MAX);
    private final EngineRuntime runtime;
    private final long bytesMax;
    private long bytes;
    private boolean closed;

    /** @param bytesMax what all that wait may keep together */
    public ReaderPool(long bytesMax, EngineRuntime runtime) {
        this.runtime = runtime;
        this.bytesMax = bytesMax;
    }

    /** A reader at this offset, to be given back or to be dropped; waits while too many are reading. */
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

    /** Instead of {@link #giveBack}, after a failure. */
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
                // Taken out first: it is the one that waits least from now on.
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

    /** Closes readers that have waited for a second. Called about once a second. */
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
