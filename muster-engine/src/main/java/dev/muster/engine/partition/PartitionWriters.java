package dev.muster.engine.partition;

import dev.muster.core.MusterException;
import dev.muster.core.TopicId;
import dev.muster.store.PartitionLog;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/** The writers of all partitions that clients write to, one for each. */
public final class PartitionWriters implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(PartitionWriters.class.getName());

    private final LongSupplier nanoTime;
    private final Map<Place, PartitionWriter> writers = new ConcurrentHashMap<>();

    private record Place(TopicId topic, int partition) {}

    /** @param nanoTime the monotonic clock, which tells how long a producer was silent */
    public PartitionWriters(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** @param log one that the store gave. The store gives the same log to all callers until its files are replaced */
    public PartitionWriter of(PartitionLog log) {
        Place place = new Place(log.topic().id(), log.partition());
        PartitionWriter known = writers.get(place);
        if (known != null && known.log() == log) {
            return known;
        }
        if (log.isReplaced()) {
            // Asked for before that was found: every append fails, and the place may have the writer to a newer log.
            return new PartitionWriter(log, nanoTime);
        }
        PartitionWriter now = writers.compute(place, (_, before) -> {
            if (before != null && before.log() == log) {
                return before;
            }
            return before != null && before.log().isReplaced()
                    ? PartitionWriter.afterReplaced(log, nanoTime)
                    : new PartitionWriter(log, nanoTime);
        });
        now.dropDoubtedNote();
        return now;
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
