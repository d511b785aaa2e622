package dev.muster.kafka.api;

import dev.muster.kafka.sasl.Login;
import java.net.InetSocketAddress;

/**
 * Who is at the other end of a connection.
 *
 * @param connection a number that no other connection of this server has
 * @param remote where it comes from
 * @param local the address it dialled
 * @param login what is known of who it is
 */
public record Client(long connection, InetSocketAddress remote, InetSocketAddress local, Login login) {
    @Override
    public String toString() {
        return remote.getAddress().getHostAddress() + ":" + remote.getPort();
    }
}
