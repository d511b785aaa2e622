package dev.muster.engine.partition;

import dev.muster.core.MusterException;
import dev.muster.core.TopicId;
import dev.muster.store.PartitionLog;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/** The partition writers, one for each partition that clients write to. */
public final class PartitionWriters implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(PartitionWriters.class.getName());

    private final LongSupplier nanoTime;
    private final boolean onlyServer;
    private final Map<Place, PartitionWriter> writers = new ConcurrentHashMap<>();

    private record Place(TopicId topic, int partition) {}

    /**
     * @param nanoTime the monotonic clock that measures the silence of producers
     * @param onlyServer true if no other server of the store appends batches of clients
     */
    public PartitionWriters(LongSupplier nanoTime, boolean onlyServer) {
        this.nanoTime = nanoTime;
        this.onlyServer = onlyServer;
    }

    /** @param log a log from the store, which returns the same object to all callers until its files are replaced */
    public PartitionWriter of(PartitionLog log) {
        Place place = new Place(log.topic().id(), log.partition());
        PartitionWriter known = writers.get(place);
        if (known != null && known.log() == log) {
            return known;
        }
        if (log.isReplaced()) {
            // The caller asked the store before the replacement was noticed. Every append fails. The map may already
            // have the writer of the newer log, so it is left alone.
            return new PartitionWriter(log, nanoTime, onlyServer);
        }
        PartitionWriter now = writers.compute(place, (_, before) -> {
            if (before != null && before.log() == log) {
                return before;
            }
            return before != null && before.log().isReplaced()
                    ? PartitionWriter.afterReplaced(log, nanoTime, onlyServer)
                    : new PartitionWriter(log, nanoTime, onlyServer);
        });
        now.dropInvalidNote();
        return now;
    }

    @Override
    public void close() {
        writers.values().forEach(writer -> {
            keepNote(writer);
            writer.close();
        });
    }

    static void keepNote(PartitionWriter writer) {
        try {
            writer.keepNote();
        } catch (MusterException e) {
            // A note only saves time.
            LOG.log(System.Logger.Level.DEBUG, "no note for {0}: {1}", writer.log(), e.getMessage());
        } catch (RuntimeException | OutOfMemoryError e) {
            LOG.log(System.Logger.Level.ERROR, "no note for " + writer.log(), e);
        }
    }
}
