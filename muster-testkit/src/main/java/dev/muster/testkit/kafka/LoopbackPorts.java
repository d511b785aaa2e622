package dev.muster.testkit.kafka;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Chooses ports for servers of tests. The ports are below those that the kernel gives to outgoing connections.
 * Otherwise a client that connects before its server listens could now and then connect to itself, and so take the
 * server's port.
 */
public final class LoopbackPorts {
    private static final int LOWEST = 10_000;
    private static final int ATTEMPTS = 1000;
    private static final Path RANGE = Path.of("/proc/sys/net/ipv4/ip_local_port_range");

    private LoopbackPorts() {}

    /**
     * A port that is free now. Another process may take it before the caller does; then the server fails to start with
     * an error that says so.
     */
    public static int free() throws IOException {
        int end = Files.isReadable(RANGE)
                ? Integer.parseInt(Files.readString(RANGE).strip().split("\\s+")[0])
                : 0;
        for (int attempt = 0; attempt < ATTEMPTS && end > LOWEST; attempt++) {
            int port = ThreadLocalRandom.current().nextInt(LOWEST, end);
            if (isFree(port)) {
                return port;
            }
        }
        try (ServerSocket any = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return any.getLocalPort();
        }
    }

    private static boolean isFree(int port) {
        try (ServerSocket _ = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return true;
        } catch (IOException taken) {
            return false;
        }
    }
}
