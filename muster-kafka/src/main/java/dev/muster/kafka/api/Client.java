package dev.muster.kafka.api;

import dev.muster.kafka.sasl.Login;
import java.net.InetSocketAddress;

/**
 * The client of a connection.
 *
 * @param connection a number that no other connection of this server has
 * @param remote the address of the client
 * @param local the address that the client connected to
 * @param login the state of its login
 */
public record Client(long connection, InetSocketAddress remote, InetSocketAddress local, Login login) {
    @Override
    public String toString() {
        return remote.getAddress().getHostAddress() + ":" + remote.getPort();
    }
}
