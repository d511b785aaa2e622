package dev.muster.store.memory;

import dev.muster.core.TopicSettings;
import dev.muster.store.Topic;
import dev.muster.store.TopicDeletedException;
import dev.muster.store.TopicNotFoundException;
import java.util.ArrayList;
import java.util.List;

/** One topic and its logs. Changed only under the store's lock; read without. */
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
        // Whoever sees the new number must find the logs.
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

    /** When this returns, appends that were under way are done and no other will be accepted. */
    void delete() {
        deleted = true;
        wake();
    }

    void wake() {
        logs.forEach(MemoryLog::wake);
    }

    /** Called by logs under their own lock before they do anything. */
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
