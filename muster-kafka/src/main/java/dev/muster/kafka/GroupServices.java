package dev.muster.kafka;

import dev.muster.engine.admin.ServedGroups;
import dev.muster.engine.group.remote.ClassicProtocol;
import dev.muster.engine.group.remote.ConsumerProtocol;
import dev.muster.engine.group.service.GroupThread;
import dev.muster.engine.runtime.SystemGroupRuntime;
import dev.muster.kafka.config.ServerConfig;
import dev.muster.store.LogStore;

/** The groups of a server, with the thread that their timers run on. */
final class GroupServices implements AutoCloseable {
    private final GroupThread thread;
    private final ServedGroups served;
    private final ClassicProtocol classic;
    private final ConsumerProtocol remote;

    GroupServices(LogStore store, ServerConfig config) {
        this.thread = new GroupThread(store, new SystemGroupRuntime());
        this.served = new ServedGroups(thread.service());
        this.classic = new ClassicProtocol(thread.service(), config.groups());
        this.remote = new ConsumerProtocol(thread.service(), config.remoteGroups());
    }

    /** Questions about any group. */
    ServedGroups served() {
        return served;
    }

    /** Members that use the classic protocol. */
    ClassicProtocol classic() {
        return classic;
    }

    /** Members that use the protocol of KIP-848. */
    ConsumerProtocol remote() {
        return remote;
    }

    /** The client of the connection ended it. */
    void hungUp(long connection) {
        classic.hungUp(connection);
        remote.hungUp(connection);
    }

    /** Responds to all members that wait for a rebalance. */
    void endWaits() {
        classic.close();
    }

    @Override
    public void close() {
        classic.close();
        thread.close();
    }
}
