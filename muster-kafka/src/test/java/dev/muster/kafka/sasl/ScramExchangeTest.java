package dev.muster.kafka.sasl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The example of RFC 7677, section 3, and changes of it that must be refused. */
class ScramExchangeTest {
    private static final String OUR_NONCE = "%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0";
    private static final String NONCE = "rOprNGfwEbeRWgbNEkqO" + OUR_NONCE;
    private static final String FIRST = "n,,n=user,r=rOprNGfwEbeRWgbNEkqO";
    private static final String CHALLENGE = "r=" + NONCE + ",s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096";
    private static final String PROOF = "dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=";
    private static final String FINAL = "c=biws,r=" + NONCE + ",p=" + PROOF;
    private static final String SIGNATURE = "v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=";

    @TempDir
    private Path folder;

    private ScramExchange exchange;

    @BeforeEach
    void begin() throws IOException {
        exchange = new ScramExchange(ScramHash.SHA_256, users("user"), OUR_NONCE);
    }

    private Users users(String name) throws IOException {
        byte[] salt = Base64.getDecoder().decode("W22ZaJ0SNY7soEsUEjb6gQ==");
        String credential =
                ScramCredential.of(ScramHash.SHA_256, "pencil", salt, 4096).text();
        Path file = Files.writeString(folder.resolve("users"), name + ":" + credential + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        return Users.read(file, List.of(Mechanism.SCRAM_SHA_256));
    }

    private String say(String token) throws LoginRefusedException {
        return new String(exchange.answer(token.getBytes(StandardCharsets.UTF_8)), StandardCharsets.UTF_8);
    }

    private void assertRefused(String token) {
        assertThatThrownBy(() -> say(token)).isInstanceOf(LoginRefusedException.class);
        assertThat(exchange.user()).isEmpty();
    }

    @Test
    void theExampleOfTheStandardLogsIn() throws LoginRefusedException {
        assertThat(say(FIRST)).isEqualTo(CHALLENGE);
        assertThat(exchange.user()).isEmpty();
        assertThat(say(FINAL)).isEqualTo(SIGNATURE);
        assertThat(exchange.user()).contains("user");
    }

    @Test
    void anAlteredNonceIsRefusedAndSoIsAnAlteredProof() throws Exception {
        say(FIRST);
        assertRefused(FINAL.replace("r=rOpr", "r=rOpR"));
        begin();
        say(FIRST);
        assertRefused(FINAL.replace("k0,p=", "k1,p="));
        begin();
        say(FIRST);
        assertRefused(FINAL.replace("p=dHz", "p=dHy"));
        begin();
        say(FIRST);
        assertRefused(FINAL.replace(PROOF, "AAAA"));
        begin();
        say(FIRST);
        assertRefused(FINAL.replace(PROOF, "no base64!"));
    }

    /**
     * Versions of librdkafka before 2.6.1 repeat their own part of the nonce. The standard requires the same nonce, and
     * so does Kafka 4.
     */
    @Test
    void anotherNonceIsRefusedEvenWithAValidProof() throws Exception {
        String clientNonce = "rOprNGfwEbeRWgbNEkqO";
        for (String nonce :
                List.of(clientNonce + NONCE, NONCE + "x", OUR_NONCE, clientNonce, "x" + NONCE.substring(1))) {
            begin();
            String bare = "c=biws,r=" + nonce;
            say(FIRST);
            assertRefused(bare + ",p=" + proof(FIRST.substring(3) + "," + CHALLENGE + "," + bare));
        }
        begin();
        String bare = "c=biws,r=" + NONCE;
        assertThat(proof(FIRST.substring(3) + "," + CHALLENGE + "," + bare))
                .as("the test makes proofs as the standard does")
                .isEqualTo(PROOF);
    }

    /** The proof of a client that knows the password. */
    private static String proof(String exchanged) {
        ScramHash hash = ScramHash.SHA_256;
        byte[] salt = Base64.getDecoder().decode("W22ZaJ0SNY7soEsUEjb6gQ==");
        byte[] key = hash.hmac(hash.stretch("pencil", salt, 4096), "Client Key");
        ScramHash.xor(key, hash.hmac(hash.hash(key), exchanged));
        return Base64.getEncoder().encodeToString(key);
    }

    @Test
    void anAlteredHeaderIsRefused() throws LoginRefusedException {
        say(FIRST);
        // "y,," in place of "n,,": an attacker in between may have removed a channel binding.
        assertRefused(FINAL.replace("c=biws", "c=eSws"));
    }

    @Test
    void aFinishedExchangeAcceptsNoSecondProof() throws LoginRefusedException {
        say(FIRST);
        say(FINAL);
        assertThatThrownBy(() -> say(FINAL)).isInstanceOf(LoginRefusedException.class);
    }

    @Test
    void aProofIsValidForItsOwnLoginOnly() throws Exception {
        exchange = new ScramExchange(ScramHash.SHA_256, users("user"), "anotherNonce");
        say(FIRST);
        assertRefused(FINAL);
        exchange = new ScramExchange(ScramHash.SHA_256, users("user"), "anotherNonce");
        say(FIRST);
        assertRefused(FINAL.replace(NONCE, "rOprNGfwEbeRWgbNEkqOanotherNonce"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "n,,",
                "n,,n=,r=abc",
                "n,,n=user",
                "n,,n=user,r=",
                "n,,n=user,r=ab c",
                "n,,m=must,n=user,r=abc", // an extension that must be understood
                "p=tls-unique,,n=user,r=abc", // a binding that is not supported
                "n,a=root,n=user,r=abc",
                "n,,n=us=er,r=abc",
                "n,,n=us=2,r=abc",
            })
    void anInvalidFirstMessageIsRefused(String token) {
        assertRefused(token);
    }

    @Test
    void anUnknownUserGetsAChallengeToo() throws Exception {
        String stranger = FIRST.replace("n=user", "n=nobody");
        String challenge = say(stranger);
        assertThat(challenge).matches("r=\\Q" + NONCE + "\\E,s=[A-Za-z0-9+/]{22}==,i=4096");
        assertRefused(FINAL);
    }

    @Test
    void anUnknownUsersSaltStaysTheSame() throws Exception {
        Users users = users("user");
        assertThat(users.find("nobody", ScramHash.SHA_256).salt())
                .isEqualTo(users.find("nobody", ScramHash.SHA_256).salt())
                .isNotEqualTo(users.find("somebody", ScramHash.SHA_256).salt());
    }

    @Test
    void commasAndEqualsSignsInNamesAreEscaped() throws Exception {
        exchange = new ScramExchange(ScramHash.SHA_256, users("a,b=c"), OUR_NONCE);
        assertThat(say("n,a=a=2Cb=3Dc,n=a=2Cb=3Dc,r=rOprNGfwEbeRWgbNEkqO")).isEqualTo(CHALLENGE);
    }
}
