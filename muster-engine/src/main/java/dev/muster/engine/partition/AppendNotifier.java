package dev.muster.engine.partition;

import dev.muster.store.PartitionLog;
import dev.muster.store.watch.Registration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Wakes fetches that wait for records. It subscribes once to each partition for all fetches, because a subscription
 * costs a system call and wakes a thread.
 */
public final class AppendNotifier implements AutoCloseable {
    /** Above this number, partitions without waiting requests are dropped. */
    private static final int WATCHED_MAX = 10_000;

    private final Map<PartitionLog, Watched> watched = new ConcurrentHashMap<>();

    /**
     * Runs the callback when records became visible in one of these logs; sometimes without reason. The caller must
     * check the logs again after this method returned: earlier records cause no callback.
     */
    public Registration await(Collection<PartitionLog> logs, Runnable wake) {
        List<Watched> all = new ArrayList<>(logs.size());
        for (PartitionLog log : logs) {
            all.add(join(log, wake));
        }
        return () -> all.forEach(each -> each.waiting.remove(wake));
    }

    private Watched join(PartitionLog log, Runnable wake) {
        if (watched.size() > WATCHED_MAX) {
            prune();
        }
        while (true) {
            Watched each = watched.computeIfAbsent(log, Watched::new);
            each.waiting.add(wake);
            // If not, {@code prune} removed the entry meanwhile, and no callback would follow.
            if (watched.get(log) == each) {
                return each;
            }
        }
    }

    private void prune() {
        for (Watched each : List.copyOf(watched.values())) {
            if (each.waiting.isEmpty() && watched.remove(each.log, each)) {
                each.subscription.close();
            }
        }
    }

    /** Wakes all waiting requests. */
    public void wakeAll() {
        watched.values().forEach(each -> each.waiting.forEach(Runnable::run));
    }

    @Override
    public void close() {
        watched.values().forEach(each -> each.subscription.close());
        watched.clear();
    }

    /** A partition and the requests that wait for it. */
    private static final class Watched {
        private final PartitionLog log;
        private final List<Runnable> waiting = new CopyOnWriteArrayList<>();
        private final Registration subscription;
        private volatile long seenEnd = -1;

        Watched(PartitionLog log) {
            this.log = log;
            this.subscription = log.onAppend(this::look);
        }

        /** Wakes the requests if the end moved: the store's callback may concern another partition. */
        private void look() {
            if (waiting.isEmpty()) {
                return;
            }
            long end = log.endOffset();
            if (end != seenEnd) {
                seenEnd = end;
                waiting.forEach(Runnable::run);
            }
        }
    }
}
