package dev.muster.store.memory;

import dev.muster.core.TopicId;
import dev.muster.core.TopicName;
import dev.muster.core.group.model.GroupName;
import dev.muster.core.group.model.HostId;
import dev.muster.store.StoreClosedException;
import dev.muster.store.runtime.StoreRuntime;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/** The content that several stores in memory share. It lasts as long as one of them is open. */
final class Memory {
    /** Held while a thread changes the maps, so that they agree with each other. Reading them takes no lock. */
    final ReentrantLock changes = new ReentrantLock();

    final ConcurrentSkipListMap<TopicName, MemoryTopic> topics = new ConcurrentSkipListMap<>();
    final Map<TopicId, MemoryTopic> topicsById = new ConcurrentHashMap<>();
    final Set<TopicId> deletedTopics = ConcurrentHashMap.newKeySet();
    final AtomicLong producerIds = new AtomicLong();
    final AtomicLong topicsVersion = new AtomicLong();
    final AppendListeners topicsListeners = new AppendListeners();
    final ConcurrentSkipListMap<GroupName, MemoryGroup> groups = new ConcurrentSkipListMap<>();
    final Map<HostId, MemoryHost> hosts = new ConcurrentHashMap<>();
    final StoreRuntime runtime;
    final UUID id;
    final Set<String> roles = ConcurrentHashMap.newKeySet();
    private final Set<MemoryStore> open = new HashSet<>();
    private volatile boolean closed;

    Memory(StoreRuntime runtime) {
        this.runtime = runtime;
        this.id = runtime.newId();
    }

    void opened(MemoryStore store) {
        changes.lock();
        try {
            checkOpen();
            open.add(store);
            hosts.put(store.host().id(), store.host());
        } finally {
            changes.unlock();
        }
    }

    /** Removes a store that was closed or whose host died. After the last one the content is dropped. */
    void closed(MemoryStore store) {
        changes.lock();
        try {
            open.remove(store);
            hosts.remove(store.host().id());
            store.host().end();
            groups.values().forEach(MemoryGroup::wake);
            if (open.isEmpty()) {
                closed = true;
                topicsById.values().forEach(MemoryTopic::wake);
                topicsById.clear();
                topics.clear();
                groups.clear();
            }
        } finally {
            changes.unlock();
        }
    }

    void checkOpen() {
        if (closed) {
            throw new StoreClosedException("the store in memory");
        }
    }

    void topicsChanged() {
        topicsVersion.incrementAndGet();
        topicsListeners.wake();
    }
}
