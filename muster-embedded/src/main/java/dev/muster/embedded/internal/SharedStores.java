package dev.muster.embedded.internal;

import dev.muster.core.MusterException;
import dev.muster.embedded.MusterOptions;
import dev.muster.store.LogStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * The directories that this process has open. Queues over one directory share its store; closing the last of them
 * closes the store. Two stores of one directory in one process would work, but each would have its own files, maps and
 * threads. Thread-safe.
 */
final class SharedStores {
    private static final SharedStores OPEN = new SharedStores();

    private final Map<Key, Shared> byDirectory = new HashMap<>();

    /** A directory by its real path, so that different names and links to it are equal. */
    private record Key(Path realPath, boolean readOnly) {}

    private static final class Shared {
        private final LogStore store;
        private final StoreGroups groups;
        private int leases;

        Shared(LogStore store) {
            this.store = store;
            this.groups = new StoreGroups(store);
        }
    }

    SharedStores() {}

    static Lease open(Path directory, MusterOptions options) {
        return OPEN.lease(directory, options.readOnly(), () -> DirectoryStore.open(directory, options));
    }

    Lease lease(Path directory, boolean readOnly, Supplier<LogStore> opener) {
        // The store is opened under the lock: of two threads that open at once, the second needs the store of the
        // first.
        synchronized (byDirectory) {
            Shared known = byDirectory.get(new Key(realPath(directory), readOnly));
            LogStore store = known == null ? opener.get() : known.store;
            // The directory exists only now, so only now its real path is the one that later calls will find.
            Key key = new Key(realPath(directory), readOnly);
            Shared shared = byDirectory.computeIfAbsent(key, any -> new Shared(store));
            shared.leases++;
            return new Lease(key, shared);
        }
    }

    private static Path realPath(Path directory) {
        try {
            return Files.exists(directory) ? directory.toRealPath() : directory.toAbsolutePath();
        } catch (IOException e) {
            throw new MusterException("cannot resolve " + directory + ": " + e.getMessage(), null, e);
        }
    }

    /** The use of a store by one queue. Closing it twice has no further effect. */
    final class Lease implements AutoCloseable {
        private final Key key;
        private final Shared shared;
        private final AtomicBoolean returned = new AtomicBoolean();

        private Lease(Key key, Shared shared) {
            this.key = key;
            this.shared = shared;
        }

        LogStore store() {
            return shared.store;
        }

        StoreGroups groups() {
            return shared.groups;
        }

        @Override
        public void close() {
            if (!returned.compareAndSet(false, true)) {
                return;
            }
            synchronized (byDirectory) {
                if (--shared.leases == 0) {
                    byDirectory.remove(key);
                    shared.groups.close();
                    shared.store.close();
                }
            }
        }
    }
}
