package dev.muster.kafka.api.records;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * The fetch sessions of all clients, so many and no more. A client that gets none fetches without; one whose session
 * was taken away is told, and begins another. Thread-safe.
 */
final class FetchSessions {
    /** A session that was not used for so long may be taken away. */
    private static final long IDLE_NANOS = TimeUnit.MINUTES.toNanos(2);

    private final int max;
    // The one that was not used for longest comes first.
    private final Map<Integer, Used> sessions = new LinkedHashMap<>(16, 0.75f, true);

    private static final class Used {
        private final FetchSession session;
        private long nanos;

        Used(FetchSession session, long nanos) {
            this.session = session;
            this.nanos = nanos;
        }
    }

    FetchSessions(int max) {
        this.max = max;
    }

    /** A new session; empty when there are too many. */
    synchronized Optional<FetchSession> open(boolean byId) {
        long now = System.nanoTime();
        Iterator<Used> oldest = sessions.values().iterator();
        if (sessions.size() >= max && oldest.hasNext() && now - oldest.next().nanos > IDLE_NANOS) {
            oldest.remove();
        }
        if (sessions.size() >= max) {
            return Optional.empty();
        }
        int id;
        do {
            id = ThreadLocalRandom.current().nextInt(1, Integer.MAX_VALUE);
        } while (sessions.containsKey(id));
        FetchSession session = new FetchSession(id, byId);
        sessions.put(id, new Used(session, now));
        return Optional.of(session);
    }

    synchronized Optional<FetchSession> find(int id) {
        Used used = sessions.get(id);
        if (used == null) {
            return Optional.empty();
        }
        used.nanos = System.nanoTime();
        return Optional.of(used.session);
    }

    synchronized void close(int id) {
        sessions.remove(id);
    }

    synchronized int size() {
        return sessions.size();
    }
}
