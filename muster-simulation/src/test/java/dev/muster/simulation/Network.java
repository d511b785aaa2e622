package dev.muster.simulation;

import dev.muster.testkit.sim.Simulation;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The way between wire clients and servers. A connection keeps the order of what it carries, in each direction, as TCP
 * does; everything else may happen: what was sent is late by seconds, and arrives when its sender has long gone on over
 * another connection; either side ends it; it breaks, and what is on the way is lost; or it carries nothing any more
 * and nobody is told.
 */
final class Network {
    private static final long MILLISECOND = 1_000_000;
    /** So that each seed has a character of its own. */
    private static final int[] LATE_ONE_IN = {15, 60, 60, 1_000};

    private static final long LATE_NANOS_MAX = 2_500 * MILLISECOND;

    private final Simulation sim;
    private final SplittableRandom chance;
    private final List<Connection> connections = new ArrayList<>();
    private final boolean lateCommits;
    private final int lateOneIn;
    private long numbers;
    private boolean calm;

    /** One connection. Each side knows it from its making until it has noticed that it is over. */
    final class Connection {
        final long number = ++numbers;
        private final WireClient client;
        private final ServerActor server;
        private long lastToServer;
        private long lastToClient;
        private boolean endedByClient;
        private boolean endedByServer;
        private boolean broken;

        private Connection(WireClient client, ServerActor server) {
            this.client = client;
            this.server = server;
        }

        boolean isOver() {
            return endedByClient || endedByServer || broken;
        }

        private void toServer(Runnable what) {
            lastToServer = Math.max(lastToServer + 1, sim.now() + delay());
            sim.at(lastToServer, () -> {
                if (!broken && !endedByServer && !server.process().hasEnded()) {
                    what.run();
                }
            });
        }

        private void toClient(Runnable what) {
            lastToClient = Math.max(lastToClient + 1, sim.now() + delay());
            sim.at(lastToClient, () -> {
                if (!broken && !endedByClient) {
                    what.run();
                }
            });
        }

        void send(WireRequest request) {
            if (lateCommits && !calm && request instanceof WireRequest.Commit && chance.nextInt(3) == 0) {
                lastToServer = Math.max(lastToServer, sim.now() + LATE_NANOS_MAX);
            }
            toServer(() -> server.receives(this, request));
        }

        void answer(WireRequest.Lane lane, WireAnswer answer) {
            toClient(() -> client.receives(this, lane, answer));
        }

        /** The client's side ends it; what it sent before still arrives. */
        void endByClient() {
            if (!endedByClient) {
                toServer(() -> server.seesEnd(this));
                endedByClient = true;
            }
        }

        /** The server's side ends it; what it answered before still arrives. */
        void endByServer() {
            if (!endedByServer) {
                toClient(() -> client.seesEnd(this));
                endedByServer = true;
            }
        }

        void hangUpByServer() {
            server.hangUp(this);
        }

        /** What is on the way is lost, and both sides notice, each in its time. */
        void reset() {
            if (!broken) {
                broken = true;
                sim.after(delay(), () -> server.seesEnd(this));
                sim.after(delay(), () -> client.seesEnd(this));
            }
        }

        /** What is on the way is lost, and nobody is told. */
        void swallow() {
            broken = true;
        }
    }

    /** @param lateCommits whether commits are late much more often than anything else */
    Network(Simulation sim, boolean lateCommits) {
        this.sim = sim;
        this.lateCommits = lateCommits;
        this.chance = sim.chance().split();
        this.lateOneIn = LATE_ONE_IN[chance.nextInt(LATE_ONE_IN.length)];
    }

    /** Nothing is late or lost from now on. */
    void calm() {
        calm = true;
        connections.forEach(Connection::reset);
    }

    private long delay() {
        if (!calm && chance.nextInt(lateOneIn) == 0) {
            return chance.nextLong(LATE_NANOS_MAX);
        }
        return 30_000 + chance.nextLong(chance.nextInt(4) == 0 ? 20 * MILLISECOND : MILLISECOND);
    }

    Connection connect(WireClient client, ServerActor server) {
        connections.removeIf(Connection::isOver);
        Connection connection = new Connection(client, server);
        connections.add(connection);
        server.accepts(connection);
        return connection;
    }

    /** The kernel ends the connections of a process that died. */
    void died(ServerActor server) {
        connections.stream().filter(one -> one.server == server && !one.broken).forEach(Connection::endByServer);
    }

    /** Those that carry something. */
    List<Connection> open() {
        return connections.stream().filter(one -> !one.isOver()).toList();
    }
}
