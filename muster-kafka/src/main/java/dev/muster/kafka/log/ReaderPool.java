package dev.muster.kafka.log;

import dev.muster.store.LogReader;
import dev.muster.store.PartitionLog;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;

/**
 * Readers that wait where a client stopped reading: its next fetch most likely goes on there, and a reader that is
 * there already has its file open and its place known. Those that nobody came back for are closed.
 */
public final class ReaderPool implements AutoCloseable {
    private static final int READERS_MAX = 128;

    /** Where a reader waits. */
    private record Place(PartitionLog log, long offset) {}

    private final LinkedHashMap<Place, LogReader> waiting = new LinkedHashMap<>();
    private boolean closed;

    /** A reader at this offset, to be given back. */
    public LogReader take(PartitionLog log, long offset) {
        LogReader known;
        synchronized (this) {
            known = waiting.remove(new Place(log, offset));
        }
        return known != null ? known : log.reader(offset);
    }

    public void giveBack(PartitionLog log, LogReader reader) {
        List<LogReader> leaving = new ArrayList<>();
        synchronized (this) {
            if (closed) {
                leaving.add(reader);
            } else {
                LogReader other = waiting.put(new Place(log, reader.position()), reader);
                if (other != null) {
                    leaving.add(other);
                }
                if (waiting.size() > READERS_MAX) {
                    leaving.add(waiting.pollFirstEntry().getValue());
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
