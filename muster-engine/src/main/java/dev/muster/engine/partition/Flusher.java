package dev.muster.engine.partition;

import dev.muster.core.MusterException;
import dev.muster.engine.runtime.EngineThreads;
import dev.muster.store.PartitionLog;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/**
 * Syncs records whose producers do not wait for a sync ({@code acks=0} or {@code 1}): at {@code sync=commit} a record
 * is visible only when it is durable. Also writes the notes of partition writers, so that no client waits for a note.
 */
public final class Flusher implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Flusher.class.getName());

    private final Map<PartitionLog, Long> unsynced = new ConcurrentHashMap<>();
    private final Map<PartitionWriter, Boolean> unnoted = new ConcurrentHashMap<>();
    private final Thread thread = EngineThreads.unstarted("muster-kafka-flush", this::run);
    private volatile boolean closed;

    public Flusher() {
        thread.start();
    }

    /** Syncs the records below the offset soon. */
    public void sync(PartitionLog log, long endOffset) {
        unsynced.merge(log, endOffset, Math::max);
        LockSupport.unpark(thread);
    }

    /** Lets the writer write its note soon. */
    public void keepNote(PartitionWriter writer) {
        unnoted.put(writer, true);
        LockSupport.unpark(thread);
    }

    private void run() {
        while (!closed) {
            if (unsynced.isEmpty() && unnoted.isEmpty()) {
                LockSupport.park(this);
            }
            work();
        }
    }

    private void work() {
        for (PartitionLog log : List.copyOf(unsynced.keySet())) {
            Long end = unsynced.remove(log);
            try {
                log.awaitDurable(end);
            } catch (MusterException e) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "records that no request waited for are lost: {0}",
                        e.getMessage());
            } catch (RuntimeException | OutOfMemoryError e) {
                // The other logs still need this thread.
                LOG.log(System.Logger.Level.ERROR, "cannot sync " + log, e);
            }
        }
        for (PartitionWriter writer : List.copyOf(unnoted.keySet())) {
            unnoted.remove(writer);
            PartitionWriters.keepNote(writer);
        }
    }

    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        work();
    }
}
