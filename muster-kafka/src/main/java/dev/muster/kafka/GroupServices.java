package dev.muster.kafka;

import dev.muster.engine.group.ClassicGroups;
import dev.muster.engine.group.GroupThread;
import dev.muster.engine.group.RemoteGroups;
import dev.muster.engine.group.ServedGroups;
import dev.muster.engine.group.SystemSurroundings;
import dev.muster.kafka.config.ServerConfig;
import dev.muster.store.LogStore;

/** The groups of a server, with the thread that their timers run on. */
final class GroupServices implements AutoCloseable {
    private final GroupThread thread;
    private final ServedGroups served;
    private final ClassicGroups classic;
    private final RemoteGroups remote;

    GroupServices(LogStore store, ServerConfig config) {
        this.thread = new GroupThread(store, new SystemSurroundings());
        this.served = new ServedGroups(thread.service());
        this.classic = new ClassicGroups(thread.service(), config.groups());
        this.remote = new RemoteGroups(thread.service(), config.remoteGroups());
    }

    /** Questions about any group. */
    ServedGroups served() {
        return served;
    }

    /** Members that use the classic protocol. */
    ClassicGroups classic() {
        return classic;
    }

    /** Members that use the protocol of KIP-848. */
    RemoteGroups remote() {
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
