package dev.muster.kafka;

import dev.muster.engine.partition.ParallelMap;
import dev.muster.kafka.api.BrokerIdentity;
import dev.muster.kafka.api.Client;
import dev.muster.kafka.api.TopicDirectory;
import dev.muster.kafka.api.records.RecordServices;
import dev.muster.kafka.config.ServerConfig;
import dev.muster.store.LogStore;
import java.time.Clock;

/** All that the connections of a server share; the APIs are built from its parts. */
final class Services implements AutoCloseable {
    private final ServerConfig config;
    private final ParallelMap sideBySide = new ParallelMap();
    private final RequestBudget requests;
    private final RecordServices records;
    private final GroupServices groups;
    private final Apis apis;
    private volatile boolean closing;

    Services(LogStore store, ServerConfig config, BrokerIdentity identity, Clock clock) {
        TopicDirectory topics = new TopicDirectory(store, config);
        this.config = config;
        this.requests = new RequestBudget(Math.min(config.queuedBytesMax(), heap() / 4));
        this.records = new RecordServices(topics, clock, heap() / 8, heap() / 8);
        this.groups = new GroupServices(store, config);
        this.apis = Apis.of(store, config, identity, topics, records, groups, sideBySide);
    }

    /** The largest request: as configured, and at most an eighth of the heap. */
    int requestBytesMax() {
        return (int) Math.min(config.requestBytesMax(), heap() / 8);
    }

    private static long heap() {
        return Runtime.getRuntime().maxMemory();
    }

    RequestBudget requests() {
        return requests;
    }

    RecordServices records() {
        return records;
    }

    GroupServices groups() {
        return groups;
    }

    Apis apis() {
        return apis;
    }

    /** The client ended its connection. Not called for connections that the server closes. */
    void hungUp(Client client) {
        if (!closing) {
            groups.hungUp(client.connection());
        }
    }

    /** Ends all waits, so that requests in progress are answered now. */
    void beginClosing() {
        closing = true;
        records.endWaits();
        groups.endWaits();
    }

    @Override
    public void close() {
        groups.close();
        records.close();
    }
}
