package dev.muster.kafka.sasl;

import java.util.List;
import java.util.Optional;

/** The login settings that all connections of a server share. It never changes: the users file is read once. */
public final class Authenticator {
    private final SaslConfig config;
    private final Optional<Users> users;

    private Authenticator(SaslConfig config, Optional<Users> users) {
        this.config = config;
        this.users = users;
    }

    /** Reads the users file, if there is one. */
    public static Authenticator of(SaslConfig config) {
        return new Authenticator(config, config.users().map(file -> Users.read(file, config.mechanisms())));
    }

    /** The login of a new connection. */
    public Login login() {
        return new Login(this, System::nanoTime);
    }

    SaslConfig config() {
        return config;
    }

    List<String> mechanisms() {
        return config.mechanisms().stream().map(Mechanism::wireName).toList();
    }

    /** Begins a login; empty if the mechanism is unknown or not enabled. */
    Optional<Exchange> begin(Mechanism mechanism) {
        return users.filter(_ -> config.mechanisms().contains(mechanism)).map(mechanism::begin);
    }
}
