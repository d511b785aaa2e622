package dev.muster.kafka.api.records;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * The fetch sessions of all clients, up to a limit. Beyond the limit clients fetch without a session. A client whose
 * session was dropped gets an error and begins another. Thread-safe.
 */
final class FetchSessions {
    /** A session that was unused for so long may be dropped for another one. */
    private static final long IDLE_NANOS = TimeUnit.MINUTES.toNanos(2);

    private final int max;
    // In order of use: the session that was unused for longest comes first.
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

    /** A new session; empty if there are too many. */
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
