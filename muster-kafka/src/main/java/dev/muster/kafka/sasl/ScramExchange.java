package dev.muster.kafka.sasl;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * RFC 5802: both sides show that they know the password and neither says it.
 *
 * <pre>{@code
 * client   n,,n=name,r=nonce
 * server   r=nonce+ours,s=salt,i=iterations
 * client   c=biws,r=nonce+ours,p=proof
 * server   v=signature
 * }</pre>
 *
 * An unknown user is asked for a proof as a known one is. There is no channel to bind to.
 */
final class ScramExchange implements Exchange {
    private static final Pattern FIRST = Pattern.compile(
            "(?<header>[ny],(a=(?<actAs>[^,]*))?,)(?<bare>n=(?<name>[^,]+),r=(?<nonce>[!-+\\--~]+)(,.*)?)");
    private static final Pattern FINAL =
            Pattern.compile("(?<bare>c=(?<header>[^,]+),r=(?<nonce>[^,]+)(,.*)?),p=(?<proof>[^,]+)");

    private final ScramHash hash;
    private final Users users;
    private final String ourNonce;
    private Optional<Begun> begun = Optional.empty();
    private Optional<String> user = Optional.empty();

    /** The messages of both sides before the client's proof. */
    private record Begun(
            String name,
            ScramCredential credential,
            String header,
            String nonce,
            String clientFirst,
            String serverFirst) {}

    ScramExchange(ScramHash hash, Users users, String ourNonce) {
        this.hash = hash;
        this.users = users;
        this.ourNonce = ourNonce;
    }

    @Override
    public byte[] answer(byte[] token) throws LoginRefusedException {
        String text = new String(token, StandardCharsets.UTF_8);
        String answer = begun.isEmpty() ? challenge(text) : signature(text, begun.get());
        return answer.getBytes(StandardCharsets.UTF_8);
    }

    private String challenge(String text) throws LoginRefusedException {
        Matcher first = FIRST.matcher(text);
        if (!first.matches()) {
            throw new LoginRefusedException("no first message of SCRAM");
        }
        String name = unescaped(first.group("name"));
        String actAs = first.group("actAs");
        if (actAs != null && !unescaped(actAs).equals(name)) {
            throw new LoginRefusedException("the client wants to act as another user");
        }
        ScramCredential credential = users.find(name, hash);
        String nonce = first.group("nonce") + ourNonce;
        String challenge = "r=" + nonce + ",s=" + Base64.getEncoder().encodeToString(credential.salt()) + ",i="
                + credential.iterations();
        begun = Optional.of(new Begun(name, credential, first.group("header"), nonce, first.group("bare"), challenge));
        return challenge;
    }

    private String signature(String text, Begun before) throws LoginRefusedException {
        Matcher last = FINAL.matcher(text);
        if (user.isPresent() || !last.matches()) {
            throw new LoginRefusedException(
                    "the client's message is not a valid final SCRAM message, or the login was already complete");
        }
        if (!same(last.group("nonce"), before.nonce())) {
            throw new LoginRefusedException("the nonce is not the one of this login");
        }
        if (!same(new String(base64(last.group("header")), StandardCharsets.UTF_8), before.header())) {
            throw new LoginRefusedException("the header is not the one of this login");
        }
        String exchanged = before.clientFirst() + "," + before.serverFirst() + "," + last.group("bare");
        if (!before.credential().isProvenBy(base64(last.group("proof")), exchanged)) {
            throw new LoginRefusedException("wrong name or password");
        }
        user = Optional.of(before.name());
        return "v=" + Base64.getEncoder().encodeToString(before.credential().signature(exchanged));
    }

    private static boolean same(String one, String other) {
        return MessageDigest.isEqual(one.getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8));
    }

    private static byte[] base64(String text) throws LoginRefusedException {
        try {
            return Base64.getDecoder().decode(text);
        } catch (IllegalArgumentException e) {
            throw new LoginRefusedException("no base64");
        }
    }

    /** A comma and an equals sign in a name are written as {@code =2C} and {@code =3D}. */
    private static String unescaped(String name) throws LoginRefusedException {
        if (name.matches(".*=(?!2C|3D).*")) {
            throw new LoginRefusedException("a name with a bare equals sign");
        }
        return name.replace("=2C", ",").replace("=3D", "=");
    }

    @Override
    public Optional<String> user() {
        return user;
    }
}
