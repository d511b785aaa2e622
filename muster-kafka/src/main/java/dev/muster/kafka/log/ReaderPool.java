package dev.muster.kafka.log;

import dev.muster.store.LogReader;
import dev.muster.store.PartitionLog;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.concurrent.Semaphore;

/**
 * Readers that wait where a client stopped reading: its next fetch most likely goes on there, and a reader that is
 * there already has its file open and its place known. Those that nobody came back for are closed.
 *
 * <p>A reader keeps what it read last in memory. So there is a bound for how many read at one time, and another for
 * what those that wait keep.
 */
public final class ReaderPool implements AutoCloseable {
    private static final int WAITING_MAX = 128;
    private static final int READING_MAX = Math.max(8, 2 * Runtime.getRuntime().availableProcessors());

    /** Where a reader waits. */
    private record Place(PartitionLog log, long offset) {}

    private final LinkedHashMap<Place, LogReader> waiting = new LinkedHashMap<>();
    private final Semaphore places = new Semaphore(READING_MAX);
    private final long bytesMax;
    private long bytes;
    private boolean closed;

    /** @param bytesMax what all that wait may keep together */
    public ReaderPool(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    /** A reader at this offset, to be given back or to be dropped; waits while too many are reading. */
    public LogReader take(PartitionLog log, long offset) {
        places.acquireUninterruptibly();
        try {
            LogReader known;
            synchronized (this) {
                known = waiting.remove(new Place(log, offset));
                bytes -= known == null ? 0 : known.memoryBytes();
            }
            return known != null ? known : log.reader(offset);
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
                LogReader other = waiting.put(new Place(log, reader.position()), reader);
                bytes += reader.memoryBytes();
                if (other != null) {
                    bytes -= other.memoryBytes();
                    leaving.add(other);
                }
                while (!waiting.isEmpty() && (waiting.size() > WAITING_MAX || bytes > bytesMax)) {
                    LogReader oldest = waiting.pollFirstEntry().getValue();
                    bytes -= oldest.memoryBytes();
                    leaving.add(oldest);
                }
            }
        }
        leaving.forEach(LogReader::close);
    }

    @Override
    public synchronized void close() {
        closed = true;
        waiting.values().forEach(LogReader::close);
        waiting.clear();
    }
}
