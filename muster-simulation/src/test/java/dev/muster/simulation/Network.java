package dev.muster.simulation;

import dev.muster.testkit.sim.Simulation;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The network between wire clients and servers. A connection keeps the order of messages in each direction, as TCP
 * does. All other faults may happen. Messages arrive seconds late, when their sender already uses another connection.
 * Either side closes the connection. It breaks, and messages in flight are lost. Or it silently carries no more
 * messages.
 */
final class Network {
    private static final long MILLISECOND = 1_000_000;
    /** The probabilities of late messages; a seed chooses one. */
    private static final int[] LATE_ONE_IN = {15, 60, 60, 1_000};

    private static final long LATE_NANOS_MAX = 2_500 * MILLISECOND;

    private final Simulation sim;
    private final SplittableRandom chance;
    private final List<Connection> connections = new ArrayList<>();
    private final boolean lateCommits;
    private final int lateOneIn;
    private long numbers;
    private boolean calm;

    /** One connection. Each side has it from its creation until it notices the end. */
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

        /** Closes the client's side; earlier messages of the client still arrive. */
        void endByClient() {
            if (!endedByClient) {
                toServer(() -> server.seesEnd(this));
                endedByClient = true;
            }
        }

        /** Closes the server's side; earlier answers still arrive. */
        void endByServer() {
            if (!endedByServer) {
                toClient(() -> client.seesEnd(this));
                endedByServer = true;
            }
        }

        void hangUpByServer() {
            server.hangUp(this);
        }

        /** Breaks the connection: messages in flight are lost, and both sides notice it after a while. */
        void reset() {
            if (!broken) {
                broken = true;
                sim.after(delay(), () -> server.seesEnd(this));
                sim.after(delay(), () -> client.seesEnd(this));
            }
        }

        /** Loses all messages from now on, without notice to either side. */
        void swallow() {
            broken = true;
        }
    }

    /** @param lateCommits True if commits are late much more often than other messages */
    Network(Simulation sim, boolean lateCommits) {
        this.sim = sim;
        this.lateCommits = lateCommits;
        this.chance = sim.chance().split();
        this.lateOneIn = LATE_ONE_IN[chance.nextInt(LATE_ONE_IN.length)];
    }

    /** Ends all faults: no message is late or lost from now on. */
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

    /** The connections that carry messages. */
    List<Connection> open() {
        return connections.stream().filter(one -> !one.isOver()).toList();
    }
}
