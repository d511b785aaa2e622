package dev.muster.store.memory;

import dev.muster.core.Topic;
import dev.muster.core.TopicSettings;
import dev.muster.store.TopicDeletedException;
import dev.muster.store.TopicNotFoundException;
import java.util.ArrayList;
import java.util.List;

/** One topic and its logs. It is changed only under the store's lock, and read without a lock. */
final class MemoryTopic {
    private final Memory memory;
    private volatile Topic description;
    private volatile List<MemoryLog> logs = List.of();
    private volatile boolean deleted;

    MemoryTopic(Memory memory, Topic description) {
        this.memory = memory;
        this.description = description;
        addLogs(description.partitions());
    }

    /** The wall clock of the store, in milliseconds since 1970. */
    long now() {
        return memory.runtime.clock().millis();
    }

    Topic description() {
        return description;
    }

    MemoryLog log(int partition) {
        List<MemoryLog> present = logs;
        if (partition < 0 || partition >= present.size()) {
            throw new TopicNotFoundException("partition " + partition + " of topic \"" + description.name() + "\"");
        }
        return present.get(partition);
    }

    Topic grow(int partitions) {
        // First the logs: a thread that sees the new number must find them.
        addLogs(partitions);
        Topic old = description;
        description = new Topic(old.name(), old.id(), partitions, old.settings(), old.createdAt());
        return description;
    }

    Topic alter(TopicSettings settings) {
        Topic old = description;
        description = new Topic(old.name(), old.id(), old.partitions(), settings, old.createdAt());
        return description;
    }

    /** Deletes the topic. When this returns, appends in progress are done and no further append is accepted. */
    void delete() {
        deleted = true;
        wake();
    }

    void wake() {
        logs.forEach(MemoryLog::wake);
    }

    /**
     * Throws if the topic was deleted or the memory is closed. A log calls this under its own lock before each
     * operation.
     */
    void checkUsable() {
        memory.checkOpen();
        if (deleted) {
            throw new TopicDeletedException(description.name().value());
        }
    }

    private void addLogs(int partitions) {
        List<MemoryLog> grown = new ArrayList<>(logs);
        while (grown.size() < partitions) {
            grown.add(new MemoryLog(this, grown.size()));
        }
        logs = List.copyOf(grown);
    }
}
