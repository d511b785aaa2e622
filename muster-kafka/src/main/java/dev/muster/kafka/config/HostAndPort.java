package dev.muster.kafka.config;

import dev.muster.core.MusterException;
import java.net.InetSocketAddress;

/** The name or address of a machine, and a port on it. */
public record HostAndPort(String host, int port) {
    private static final int PORT_MAX = 65_535;

    /** {@code host:port}, {@code [::1]:port}, {@code :port} (all addresses), {@code host} or {@code port} alone. */
    public static HostAndPort parse(String text, String defaultHost, int defaultPort) {
        String rest = text.strip();
        int colon = rest.lastIndexOf(':');
        boolean bareIpv6 = colon >= 0 && rest.indexOf(':') != colon && !rest.startsWith("[");
        if (rest.startsWith("[") && colon < rest.indexOf(']')) {
            colon = -1;
        }
        if (!rest.isEmpty() && rest.chars().allMatch(Character::isDigit)) {
            return new HostAndPort(defaultHost, port(rest, text));
        }
        if (colon < 0 || bareIpv6) {
            return new HostAndPort(unbracketed(rest, defaultHost), defaultPort);
        }
        String host = rest.substring(0, colon);
        return new HostAndPort(
                host.isEmpty() ? "0.0.0.0" : unbracketed(host, defaultHost), port(rest.substring(colon + 1), text));
    }

    private static String unbracketed(String host, String defaultHost) {
        if (host.isEmpty()) {
            return defaultHost;
        }
        return host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host;
    }

    private static int port(String digits, String text) {
        try {
            int port = Integer.parseInt(digits);
            if (port >= 0 && port <= PORT_MAX) {
                return port;
            }
        } catch (NumberFormatException e) {
            // The exception below says it, for all invalid texts.
        }
        throw new MusterException(
                "\"" + text + "\" has no port between 0 and " + PORT_MAX, "write it as localhost:9092");
    }

    /** True for all addresses of the machine, which no client can connect to. */
    public boolean isAnyAddress() {
        return host.equals("0.0.0.0") || host.equals("::") || host.equals("*");
    }

    /** True if only this machine can connect to it. */
    public boolean isLoopback() {
        InetSocketAddress address = new InetSocketAddress(host, port);
        return !address.isUnresolved() && address.getAddress().isLoopbackAddress();
    }

    @Override
    public String toString() {
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
    }
}
