package dev.muster.kafka.sasl;

import dev.muster.core.MusterException;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The users that may log in. A file has a line for each, {@code name:password} or {@code name:credential}
 * ({@link ScramCredential}). No password is kept in memory in plain text.
 *
 * <p>Unknown users have a credential too, for which there is no password. So their questions and the time of their
 * refusal are the same as for a wrong password.
 */
public final class Users {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int SALT_BYTES = 16;

    private final Map<String, Map<ScramHash, ScramCredential>> byName = new HashMap<>();
    /** The secret that makes the salts of unknown users: the same salt for the same name, as with known users. */
    private final byte[] secret = random(ScramHash.SHA_512.hash(new byte[0]).length);

    private Users() {}

    /** @param mechanisms the mechanisms that passwords are prepared for */
    static Users read(Path file, Collection<Mechanism> mechanisms) {
        List<String> lines;
        try {
            UsersFileAccess.check(file);
            lines = Files.readAllLines(file);
        } catch (NoSuchFileException e) {
            throw new MusterException(
                    "there is no users file " + file,
                    "make one with a line name:password for each, and chmod 600 it",
                    e);
        } catch (CharacterCodingException e) {
            throw new MusterException("the users file " + file + " is not UTF-8", null, e);
        } catch (IOException e) {
            throw new MusterException("cannot read the users file " + file + ": " + e.getMessage(), null, e);
        }
        Users users = new Users();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            if (!line.isBlank() && !line.startsWith("#")) {
                users.add(line, file + ", line " + (i + 1), mechanisms);
            }
        }
        return users;
    }

    /** Adds the user of a line. No message repeats the line: it may hold a password. */
    private void add(String line, String where, Collection<Mechanism> mechanisms) {
        int colon = line.indexOf(':');
        if (colon < 1 || colon == line.length() - 1) {
            throw new MusterException(where + ": not name:password");
        }
        String name = line.substring(0, colon);
        String rest = line.substring(colon + 1);
        Map<ScramHash, ScramCredential> known = byName.computeIfAbsent(name, _ -> new EnumMap<>(ScramHash.class));
        if (ScramCredential.looksLikeOne(rest)) {
            ScramCredential credential = ScramCredential.parse(rest)
                    .orElseThrow(() -> new MusterException(
                            where + ": a damaged credential, or one of less than " + ScramCredential.ITERATIONS
                                    + " iterations",
                            "muster credential creates one"));
            put(known, credential, where);
        } else {
            mechanisms.stream()
                    .map(Mechanism::hash)
                    .distinct()
                    .forEach(hash -> put(
                            known,
                            ScramCredential.of(hash, rest, salt(hash, name), ScramCredential.ITERATIONS),
                            where));
        }
    }

    private static void put(Map<ScramHash, ScramCredential> known, ScramCredential credential, String where) {
        if (known.put(credential.hash(), credential) != null) {
            throw new MusterException(where + ": this user has a line already");
        }
    }

    /** The credential for one hash, of a known or unknown user. */
    ScramCredential find(String name, ScramHash hash) {
        return Optional.ofNullable(byName.get(name))
                .map(known -> known.get(hash))
                .orElseGet(() -> stranger(name, hash));
    }

    /** The credential for any hash, of a known or unknown user. */
    ScramCredential find(String name) {
        return Optional.ofNullable(byName.get(name))
                .map(known -> known.values().iterator().next())
                .orElseGet(() -> stranger(name, ScramHash.SHA_256));
    }

    private ScramCredential stranger(String name, ScramHash hash) {
        byte[] key = hash.hmac(secret, "key of " + name);
        return new ScramCredential(hash, salt(hash, name), ScramCredential.ITERATIONS, key, key);
    }

    private byte[] salt(ScramHash hash, String name) {
        return Arrays.copyOf(hash.hmac(secret, "salt of " + name), SALT_BYTES);
    }

    /** A new credential for a password, to be written into a file. */
    public static ScramCredential credential(Mechanism mechanism, String password) {
        return ScramCredential.of(mechanism.hash(), password, random(SALT_BYTES), ScramCredential.ITERATIONS);
    }

    private static byte[] random(int count) {
        byte[] bytes = new byte[count];
        RANDOM.nextBytes(bytes);
        return bytes;
    }
}
