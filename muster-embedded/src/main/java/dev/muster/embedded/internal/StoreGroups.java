package dev.muster.embedded.internal;

import dev.muster.engine.group.service.GroupService;
import dev.muster.engine.group.service.GroupThread;
import dev.muster.engine.runtime.SystemGroupRuntime;
import dev.muster.store.LogStore;
import dev.muster.store.StoreClosedException;

/**
 * The service that runs the members of this process in the groups of one store. The first request starts it. It must be
 * closed before the store.
 */
final class StoreGroups implements AutoCloseable {
    private final LogStore store;
    private GroupThread thread;
    private boolean closed;

    StoreGroups(LogStore store) {
        this.store = store;
    }

    synchronized GroupService service() {
        if (closed) {
            throw new StoreClosedException("the queue");
        }
        if (thread == null) {
            thread = new GroupThread(store, new SystemGroupRuntime());
        }
        return thread.service();
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (thread != null) {
            thread.close();
        }
    }
}
