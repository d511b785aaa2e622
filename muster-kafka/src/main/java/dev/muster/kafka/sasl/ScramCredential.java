package dev.muster.kafka.sasl;

import java.security.MessageDigest;
import java.util.Base64;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The part of a password that a server keeps: enough to check the password, too little to log in with it. As text it is
 *
 * <pre>{@code SCRAM-SHA-256$iterations:salt$storedKey:serverKey}</pre>
 *
 * with the last three in base64, which is how PostgreSQL writes it too.
 */
public final class ScramCredential {
    /** The number that Kafka's clients require at least, and that its brokers use by default. */
    static final int ITERATIONS = 4096;

    /** A login with more would keep a thread busy for long. */
    private static final int ITERATIONS_MAX = 1_000_000;

    private static final Pattern TEXT = Pattern.compile(
            "SCRAM-(?<hash>SHA-256|SHA-512)\\$(?<iterations>\\d{1,7}):(?<salt>[^$:]+)\\$(?<stored>[^:]+):(?<server>.+)");

    private final ScramHash hash;
    private final byte[] salt;
    private final int iterations;
    private final byte[] storedKey;
    private final byte[] serverKey;

    ScramCredential(ScramHash hash, byte[] salt, int iterations, byte[] storedKey, byte[] serverKey) {
        this.hash = hash;
        this.salt = salt.clone();
        this.iterations = iterations;
        this.storedKey = storedKey.clone();
        this.serverKey = serverKey.clone();
    }

    static ScramCredential of(ScramHash hash, String password, byte[] salt, int iterations) {
        byte[] salted = hash.stretch(password, salt, iterations);
        byte[] clientKey = hash.hmac(salted, "Client Key");
        return new ScramCredential(hash, salt, iterations, hash.hash(clientKey), hash.hmac(salted, "Server Key"));
    }

    /** True if the text looks like a credential and not like a password. */
    static boolean looksLikeOne(String text) {
        return text.startsWith("SCRAM-SHA-");
    }

    static Optional<ScramCredential> parse(String text) {
        Matcher match = TEXT.matcher(text);
        if (!match.matches()) {
            return Optional.empty();
        }
        ScramHash hash = match.group("hash").equals("SHA-256") ? ScramHash.SHA_256 : ScramHash.SHA_512;
        int iterations = Integer.parseInt(match.group("iterations"));
        try {
            byte[] stored = bytes(match, "stored");
            byte[] server = bytes(match, "server");
            int length = hash.hash(new byte[0]).length;
            boolean whole = stored.length == length && server.length == length;
            return whole && iterations >= ITERATIONS && iterations <= ITERATIONS_MAX
                    ? Optional.of(new ScramCredential(hash, bytes(match, "salt"), iterations, stored, server))
                    : Optional.empty();
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static byte[] bytes(Matcher match, String group) {
        return Base64.getDecoder().decode(match.group(group));
    }

    ScramHash hash() {
        return hash;
    }

    byte[] salt() {
        return salt.clone();
    }

    int iterations() {
        return iterations;
    }

    boolean isOf(String password) {
        byte[] clientKey = hash.hmac(hash.stretch(password, salt, iterations), "Client Key");
        return MessageDigest.isEqual(hash.hash(clientKey), storedKey);
    }

    /** True if the proof of a client shows that it knows the password. */
    boolean isProvenBy(byte[] proof, String exchanged) {
        byte[] clientKey = hash.hmac(storedKey, exchanged);
        if (proof.length != clientKey.length) {
            return false;
        }
        ScramHash.xor(clientKey, proof);
        return MessageDigest.isEqual(hash.hash(clientKey), storedKey);
    }

    /** The proof for a client that the server knows its password too. */
    byte[] signature(String exchanged) {
        return hash.hmac(serverKey, exchanged);
    }

    /** The text in a users file, after the name. */
    public String text() {
        Base64.Encoder base64 = Base64.getEncoder();
        return hash.mechanism() + "$" + iterations + ":" + base64.encodeToString(salt) + "$"
                + base64.encodeToString(storedKey) + ":" + base64.encodeToString(serverKey);
    }
}
