package dev.muster.kafka.sasl;

import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * RFC 4616: name and password in one token. Only an encrypted connection should carry it.
 *
 * <pre>{@code [name to act as] NUL name NUL password}</pre>
 */
final class PlainExchange implements Exchange {
    private static final byte[] NOTHING = {};

    private final Users users;
    private Optional<String> user = Optional.empty();

    PlainExchange(Users users) {
        this.users = users;
    }

    @Override
    public byte[] answer(byte[] token) throws LoginRefusedException {
        String[] parts = new String(token, StandardCharsets.UTF_8).split("\0", -1);
        if (parts.length != 3) {
            throw new LoginRefusedException("a token of " + parts.length + " parts");
        }
        String name = parts[1];
        // The password is checked first, also for unknown users, so that all refusals take the same time.
        boolean known = users.find(name).isOf(parts[2]);
        if (!known || !parts[0].isEmpty() && !parts[0].equals(name)) {
            throw new LoginRefusedException("wrong name or password");
        }
        user = Optional.of(name);
        return NOTHING;
    }

    @Override
    public Optional<String> user() {
        return user;
    }
}
