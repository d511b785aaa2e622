package dev.muster.kafka;

import dev.muster.core.MusterException;
import dev.muster.kafka.api.BrokerIdentity;
import dev.muster.kafka.api.Client;
import dev.muster.kafka.api.RequestLog;
import dev.muster.kafka.config.HostAndPort;
import dev.muster.kafka.config.ServerConfig;
import dev.muster.kafka.sasl.Authenticator;
import dev.muster.store.LogStore;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnresolvedAddressException;
import java.time.Clock;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * A Kafka broker over a store: listens, and serves each connection with threads of its own. A store has at most one
 * server at a time; other processes may use the store beside it. Does not close the store.
 */
public final class KafkaServer implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(KafkaServer.class.getName());
    private static final String ROLE = "kafka-server";
    private static final int BACKLOG = 512;
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** The longest pause of the client in the middle of a request or response. */
    private static final long FRAME_NANOS = TimeUnit.SECONDS.toNanos(30);
    /** The time that clients get at shutdown to receive the responses to their requests in progress. */
    private static final long FINISH_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final long FINISH_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final ServerSocketChannel listener;
    private final LogStore.Claim claim;
    private final HostAndPort listens;
    private final ServerConfig config;
    private final Authenticator authenticator;
    private final HostAndPort advertised;
    private final Services services;
    // Platform threads: calls into the store hold their thread in the kernel; a virtual thread would hold its carrier.
    private final ThreadFactory threads = Thread.ofPlatform().daemon().factory();
    private final Set<Connection> connections = ConcurrentHashMap.newKeySet();
    private final AtomicLong connectionNumbers = new AtomicLong();
    private final AtomicBoolean closed = new AtomicBoolean();
    private final Thread acceptor;
    private final Thread watcher;

    private KafkaServer(
            LogStore store,
            ServerConfig config,
            Authenticator authenticator,
            LogStore.Claim claim,
            ServerSocketChannel listener,
            HostAndPort listens,
            HostAndPort advertised) {
        this.claim = claim;
        this.listener = listener;
        this.listens = listens;
        this.config = config;
        this.authenticator = authenticator;
        this.advertised = advertised;
        BrokerIdentity identity = BrokerIdentity.of(config.nodeId(), advertised, store);
        this.services = new Services(store, config, identity, Clock.systemUTC());
        this.acceptor = Thread.ofPlatform().name("muster-kafka-accept").unstarted(this::accept);
        this.watcher = Thread.ofPlatform().daemon().name("muster-kafka-watch").unstarted(this::watch);
    }

    /**
     * Starts a server.
     *
     * @param listen the address to listen on; port 0 means any free port
     * @param advertised the address that clients connect to; empty means the address of {@code listen}
     */
    public static KafkaServer open(
            LogStore store, ServerConfig config, HostAndPort listen, Optional<HostAndPort> advertised) {
        LogStore.Claim claim = store.claim(ROLE)
                .orElseThrow(() -> new MusterException(
                        "another server has this data directory",
                        "use that one, or stop it first; without a server any number of processes may use a"
                                + " directory"));
        try {
            Authenticator authenticator = Authenticator.of(config.sasl());
            ServerSocketChannel listener = bind(listen);
            int port = ((InetSocketAddress) listener.getLocalAddress()).getPort();
            HostAndPort listens = new HostAndPort(listen.host(), port);
            HostAndPort clientAddress = advertised
                    .map(a -> new HostAndPort(a.host(), a.port() == 0 ? port : a.port()))
                    .orElse(listens.isAnyAddress() ? new HostAndPort("localhost", port) : listens);
            KafkaServer server = new KafkaServer(store, config, authenticator, claim, listener, listens, clientAddress);
            // Before clients connect: members of an earlier server keep their place in their groups.
            server.services.groups().classic().adoptOrphans();
            server.acceptor.start();
            server.watcher.start();
            return server;
        } catch (IOException e) {
            claim.close();
            throw new MusterException("cannot listen on " + listen + ": " + e.getMessage(), null, e);
        } catch (RuntimeException e) {
            claim.close();
            throw e;
        }
    }

    private static ServerSocketChannel bind(HostAndPort listen) throws IOException {
        ServerSocketChannel listener = ServerSocketChannel.open();
        try {
            listener.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            listener.bind(new InetSocketAddress(listen.host(), listen.port()), BACKLOG);
            return listener;
        } catch (BindException e) {
            listener.close();
            throw new MusterException(
                    "cannot listen on " + listen + ": " + e.getMessage(),
                    "is another broker running? choose another port: --listen " + listen.host() + ":"
                            + (listen.port() + 1) + ", or --listen " + listen.host() + ":0 for any that is free",
                    e);
        } catch (UnresolvedAddressException e) {
            listener.close();
            throw new MusterException(
                    "cannot listen on " + listen + ": this machine does not know the name " + listen.host(),
                    "listen on localhost, or on 0.0.0.0 for all addresses, and --advertise the name",
                    e);
        } catch (IOException e) {
            listener.close();
            throw e;
        }
    }

    /** The address it listens on, with the real port. */
    public HostAndPort listens() {
        return listens;
    }

    /** The address that clients connect to. */
    public HostAndPort advertised() {
        return advertised;
    }

    /** The APIs that it serves. */
    public Apis apis() {
        return services.apis();
    }

    public int connections() {
        return connections.size();
    }

    private void accept() {
        while (!closed.get()) {
            try {
                serve(listener.accept());
            } catch (AsynchronousCloseException e) {
                return;
            } catch (ClosedChannelException e) {
                return;
            } catch (IOException | RuntimeException | OutOfMemoryError e) {
                // No descriptor or thread is left. Open connections continue, and one of them may end.
                RequestLog.failed(
                        System.Logger.Level.WARNING,
                        "failed connections",
                        "cannot accept a connection: " + e.getMessage());
                LockSupport.parkNanos(LOOK_NANOS / 10);
            }
        }
    }

    private void serve(SocketChannel channel) throws IOException {
        if (connections.size() >= config.connectionsMax()) {
            RequestLog.failed(
                    System.Logger.Level.WARNING,
                    "refused connections",
                    "refusing a connection: there are " + connections.size() + " already (max.connections)");
            channel.close();
            return;
        }
        Connection connection;
        try {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
            Client client = new Client(
                    connectionNumbers.incrementAndGet(),
                    (InetSocketAddress) channel.getRemoteAddress(),
                    (InetSocketAddress) channel.getLocalAddress(),
                    authenticator.login());
            connection = new Connection(channel, client, services, threads, connections::remove);
            connections.add(connection);
            connection.start();
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            channel.close();
            throw e;
        }
        if (closed.get()) {
            connection.close();
        }
    }

    /**
     * Closes connections that are silent for too long or do not log in, that stop in the middle of a request or
     * response, and those that send slowly while others wait for memory.
     */
    private void watch() {
        while (!closed.get()) {
            try {
                look();
            } catch (RuntimeException | OutOfMemoryError e) {
                // Without a watcher connections would never be closed. The next round may succeed.
                LOG.log(System.Logger.Level.ERROR, "watching connections failed", e);
            }
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }

    private void look() {
        long now = System.nanoTime();
        RequestLog.tick();
        services.records().readers().closeForgotten(now);
        boolean memoryIsWanted = services.requests().isWanted();
        for (Connection connection : connections) {
            if (connection.isOverdue(now, config.idleMax().toNanos(), FRAME_NANOS)
                    || memoryIsWanted && connection.isTooSlow(now)) {
                connection.close();
            }
        }
    }

    /** Waits until the server is closed. */
    public void join() throws InterruptedException {
        acceptor.join();
    }

    /**
     * Reads no more requests, responds to those in progress for at most a second, and ends all connections.
     * Acknowledged records are as safe as their topic promises, with or without this call.
     */
    @Override
    public void close() {
        close(FINISH_NANOS);
    }

    /** @param finishNanos the time that clients get to receive responses */
    void close(long finishNanos) {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        try {
            listener.close();
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "closing the listener: {0}", e.getMessage());
        }
        services.beginClosing();
        connections.forEach(Connection::finish);
        long deadline = System.nanoTime() + finishNanos;
        while (!connections.isEmpty() && System.nanoTime() < deadline) {
            LockSupport.parkNanos(FINISH_LOOK_NANOS);
        }
        connections.forEach(Connection::close);
        LockSupport.unpark(watcher);
        services.close();
        claim.close();
    }
}
