package dev.muster.kafka.log;

import dev.muster.core.MusterException;
import dev.muster.store.PartitionLog;
import java.time.Clock;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The writers of all partitions that clients write to, one for each. */
public final class PartitionWriters implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(PartitionWriters.class.getName());

    private final Clock clock;
    private final Map<PartitionLog, PartitionWriter> writers = new ConcurrentHashMap<>();

    public PartitionWriters(Clock clock) {
        this.clock = clock;
    }

    /** @param log one that the store gave: it gives the same one to all who ask */
    public PartitionWriter of(PartitionLog log) {
        PartitionWriter known = writers.get(log);
        return known != null ? known : writers.computeIfAbsent(log, l -> new PartitionWriter(l, clock));
    }

    /** The topic is gone. */
    public void forget(PartitionLog log) {
        writers.remove(log);
    }

    @Override
    public void close() {
        writers.values().forEach(PartitionWriters::keepNote);
    }

    static void keepNote(PartitionWriter writer) {
        try {
            writer.keepNote();
        } catch (MusterException e) {
            // It only saves time.
            LOG.log(System.Logger.Level.DEBUG, "no note for {0}: {1}", writer.log(), e.getMessage());
        } catch (RuntimeException | OutOfMemoryError e) {
            LOG.log(System.Logger.Level.ERROR, "no note for " + writer.log(), e);
        }
    }
}
