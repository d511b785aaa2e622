package dev.muster.kafka;

import dev.muster.core.Topic;
import dev.muster.core.TopicName;
import dev.muster.core.TopicSettings;
import dev.muster.kafka.config.HostAndPort;
import dev.muster.kafka.config.ServerConfig;
import dev.muster.store.memory.MemoryStore;
import java.util.Map;
import java.util.Optional;

/** A server over a store in memory. */
public final class MemoryBroker implements AutoCloseable {
    private final MemoryStore store = new MemoryStore();
    private final KafkaServer server;

    public MemoryBroker() {
        this(Map.of());
    }

    public MemoryBroker(Map<String, String> settings) {
        server = KafkaServer.open(
                store, ServerConfig.fromMap(settings), new HostAndPort("127.0.0.1", 0), Optional.empty());
    }

    public MemoryStore store() {
        return store;
    }

    public KafkaServer server() {
        return server;
    }

    public HostAndPort address() {
        return server.listens();
    }

    public Topic topic(String name) {
        return store.create(new TopicName(name), 1, TopicSettings.DEFAULT);
    }

    @Override
    public void close() {
        server.close();
        store.close();
    }
}
