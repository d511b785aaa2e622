package dev.muster.kafka.sasl;

import java.util.List;
import java.util.Optional;

/** What all connections of a server share about who may use it. Never changes: users are read once. */
public final class Authenticator {
    private final SaslConfig config;
    private final Optional<Users> users;

    private Authenticator(SaslConfig config, Optional<Users> users) {
        this.config = config;
        this.users = users;
    }

    /** Reads the file of users, if there is one. */
    public static Authenticator of(SaslConfig config) {
        return new Authenticator(config, config.users().map(file -> Users.read(file, config.mechanisms())));
    }

    /** For a new connection. */
    public Login login() {
        return new Login(this, System::nanoTime);
    }

    SaslConfig config() {
        return config;
    }

    List<String> mechanisms() {
        return config.mechanisms().stream().map(Mechanism::wireName).toList();
    }

    /** Empty when there is no such mechanism, or it is not wanted here. */
    Optional<Exchange> begin(Mechanism mechanism) {
        return users.filter(_ -> config.mechanisms().contains(mechanism)).map(mechanism::begin);
    }
}
