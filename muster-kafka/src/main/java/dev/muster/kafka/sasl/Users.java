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
 * Who may log in. A file has a line for each, {@code name:password} or {@code name:credential}
 * ({@link ScramCredential}); no password is kept in memory as it stands there.
 *
 * <p>Strangers have a credential too, which nobody has the password of: so what they are asked, and how long their
 * refusal takes, is what a wrong password would get.
 */
public final class Users {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int SALT_BYTES = 16;

    private final Map<String, Map<ScramHash, ScramCredential>> byName = new HashMap<>();
    /** Makes the salts of strangers: the same for the same name, as it is with those that are known. */
    private final byte[] secret = random(ScramHash.SHA_512.hash(new byte[0]).length);

    private Users() {}

    /** @param mechanisms by which they will log in: passwords are prepared for these */
    static Users read(Path file, Collection<Mechanism> mechanisms) {
        List<String> lines;
        try {
            UsersFileAccess.check(file);
            lines = Files.readAllLines(file);
        } catch (NoSuchFileException e) {
            throw new MusterException(
                    "there is no file of users " + file,
                    "make one with a line name:password for each, and chmod 600 it",
                    e);
        } catch (CharacterCodingException e) {
            throw new MusterException("the file of users " + file + " is not UTF-8", null, e);
        } catch (IOException e) {
            throw new MusterException("cannot read the file of users " + file + ": " + e.getMessage(), null, e);
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

    /** What a line says is never repeated in a message: it may be a password. */
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
                            "muster credential makes one"));
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
            throw new MusterException(where + ": this user stands there already");
        }
    }

    /** The credential of a user or a stranger, for one hash. */
    ScramCredential find(String name, ScramHash hash) {
        return Optional.ofNullable(byName.get(name))
                .map(known -> known.get(hash))
                .orElseGet(() -> stranger(name, hash));
    }

    /** The credential of a user or a stranger, for a hash that is there. */
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

    /** A new credential for a password, to be written to a file. */
    public static ScramCredential credential(Mechanism mechanism, String password) {
        return ScramCredential.of(mechanism.hash(), password, random(SALT_BYTES), ScramCredential.ITERATIONS);
    }

    private static byte[] random(int count) {
        byte[] bytes = new byte[count];
        RANDOM.nextBytes(bytes);
        return bytes;
    }
}
