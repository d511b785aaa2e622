package dev.muster.it.kafka;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.HashSet;
import java.util.Set;

/**
 * A proxy to a server on this machine that can be cut: then all connections end, and new ones fail until it is
 * restored.
 */
final class Tunnel implements AutoCloseable {
    private final ServerSocket entrance = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final Set<Socket> ends = new HashSet<>();
    private volatile int exit;
    private boolean cut;

    Tunnel() throws IOException {
        Thread.ofVirtual().start(this::accept);
    }

    int port() {
        return entrance.getLocalPort();
    }

    void leadTo(int port) {
        exit = port;
    }

    synchronized void cut() throws IOException {
        cut = true;
        for (Socket end : ends) {
            end.close();
        }
        ends.clear();
    }

    synchronized void mend() {
        cut = false;
    }

    private void accept() {
        try {
            while (true) {
                connect(entrance.accept());
            }
        } catch (IOException e) {
            // The listener was closed at the end of the test.
            return;
        }
    }

    private synchronized void connect(Socket near) throws IOException {
        if (cut) {
            near.close();
            return;
        }
        Socket far = new Socket(InetAddress.getLoopbackAddress(), exit);
        ends.add(near);
        ends.add(far);
        Thread.ofVirtual().start(() -> pass(near, far));
        Thread.ofVirtual().start(() -> pass(far, near));
    }

    /** Copies bytes. When one side ends, the other side is closed. */
    private static void pass(Socket from, Socket to) {
        try (from;
                to) {
            from.getInputStream().transferTo(to.getOutputStream());
        } catch (IOException e) {
            // The other side was closed.
            return;
        }
    }

    @Override
    public void close() throws IOException {
        cut();
        entrance.close();
    }
}
