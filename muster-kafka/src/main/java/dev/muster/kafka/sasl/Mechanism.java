package dev.muster.kafka.sasl;

import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;

/** The ways to log in. */
public enum Mechanism {
    PLAIN("PLAIN", ScramHash.SHA_256) {
        @Override
        Exchange begin(Users users) {
            return new PlainExchange(users);
        }
    },
    SCRAM_SHA_256(ScramHash.SHA_256.mechanism(), ScramHash.SHA_256),
    SCRAM_SHA_512(ScramHash.SHA_512.mechanism(), ScramHash.SHA_512);

    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int NONCE_BYTES = 24;

    private final String wireName;
    private final ScramHash hash;

    Mechanism(String wireName, ScramHash hash) {
        this.wireName = wireName;
        this.hash = hash;
    }

    /** The spelling of clients and settings. */
    public String wireName() {
        return wireName;
    }

    /** The hash under which passwords are kept for this mechanism. */
    ScramHash hash() {
        return hash;
    }

    public static Optional<Mechanism> find(String wireName) {
        return Arrays.stream(values())
                .filter(mechanism -> mechanism.wireName.equals(wireName))
                .findFirst();
    }

    Exchange begin(Users users) {
        byte[] nonce = new byte[NONCE_BYTES];
        RANDOM.nextBytes(nonce);
        return new ScramExchange(hash, users, Base64.getEncoder().encodeToString(nonce));
    }
}
