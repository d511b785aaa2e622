package dev.muster.kafka.sasl;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.common.message.SaslAuthenticateResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LoginTest {
    private static final short V0 = 0;
    private static final short V1 = 1;
    private static final Duration SESSION = Duration.ofMinutes(5);

    @TempDir
    private Path folder;

    private long now;
    private Path file;

    @BeforeEach
    void writeUsers() throws IOException {
        file = Files.writeString(folder.resolve("users"), "alice:secret\nbob:other\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    }

    private Login login(Duration session) {
        SaslConfig config = new SaslConfig(
                List.of(Mechanism.PLAIN, Mechanism.SCRAM_SHA_256),
                Optional.of(file),
                1 << 14,
                Duration.ofSeconds(10),
                Duration.ZERO,
                session);
        return new Login(Authenticator.of(config), () -> now);
    }

    private static SaslAuthenticateResponseData plain(Login login, String name, String password) {
        return login.authenticate(("\0" + name + "\0" + password).getBytes(StandardCharsets.UTF_8));
    }

    private Login loggedIn(Duration session) {
        Login login = login(session);
        assertThat(login.shakeHands("PLAIN", V1).errorCode()).isZero();
        SaslAuthenticateResponseData said = plain(login, "alice", "secret");
        assertThat(said.errorCode()).isZero();
        assertThat(said.sessionLifetimeMs()).isEqualTo(session.toMillis());
        assertThat(login.isDone()).isTrue();
        return login;
    }

    @Test
    void onlyVersionsAndTokensAreAdmittedBeforeTheLogin() {
        Login login = login(Duration.ZERO);
        assertThat(login.admits(ApiKeys.API_VERSIONS)).isTrue();
        assertThat(login.admits(ApiKeys.SASL_HANDSHAKE)).isTrue();
        assertThat(login.admits(ApiKeys.METADATA)).isFalse();
        assertThat(login.frameBytesMax(1 << 20)).isEqualTo(1 << 14);
        Login done = loggedIn(Duration.ZERO);
        assertThat(done.admits(ApiKeys.METADATA)).isTrue();
        assertThat(done.frameBytesMax(1 << 20)).isEqualTo(1 << 20);
    }

    @Test
    void everyReasonGetsTheSameErrorMessage() {
        SaslAuthenticateResponseData first = null;
        for (String[] each : new String[][] {{"alice", "wrong"}, {"nobody", "secret"}, {"alice", ""}, {"", ""}}) {
            Login login = login(Duration.ZERO);
            login.shakeHands("PLAIN", V1);
            SaslAuthenticateResponseData said = plain(login, each[0], each[1]);
            assertThat(said.errorCode()).isEqualTo(Errors.SASL_AUTHENTICATION_FAILED.code());
            assertThat(said.errorMessage()).doesNotContain("alice", "nobody", "name", "user");
            assertThat(first == null || first.equals(said)).isTrue();
            first = said;
            assertThat(login.refusal()).isPresent();
            assertThat(login.admits(ApiKeys.SASL_HANDSHAKE)).isFalse();
        }
    }

    @Test
    void aUserCannotActAsAnother() {
        Login login = login(Duration.ZERO);
        login.shakeHands("PLAIN", V1);
        assertThat(login.authenticate("bob\0alice\0secret".getBytes(StandardCharsets.UTF_8))
                        .errorCode())
                .isEqualTo(Errors.SASL_AUTHENTICATION_FAILED.code());
    }

    @Test
    void aDisabledMechanismIsRefusedWithTheEnabledOnes() {
        Login login = login(Duration.ZERO);
        var said = login.shakeHands("SCRAM-SHA-512", V1);
        assertThat(said.errorCode()).isEqualTo(Errors.UNSUPPORTED_SASL_MECHANISM.code());
        assertThat(said.mechanisms()).containsExactly("PLAIN", "SCRAM-SHA-256");
        assertThat(login.refusal()).isPresent();
    }

    @Test
    void aTokenBeforeTheHandshakeIsRefused() {
        Login login = login(Duration.ZERO);
        assertThat(plain(login, "alice", "secret").errorCode()).isEqualTo(Errors.ILLEGAL_SASL_STATE.code());
        assertThat(login.isDone()).isFalse();
        assertThat(login.refusal()).isPresent();
    }

    @Test
    void afterHandshakeVersion0TokensHaveNoFrame() {
        Login login = login(Duration.ZERO);
        login.shakeHands("PLAIN", V0);
        assertThat(login.expectsBareToken()).isTrue();
        assertThat(login.bareToken("\0alice\0secret".getBytes(StandardCharsets.UTF_8)))
                .hasValueSatisfying(token -> assertThat(token).isEmpty());
        assertThat(login.isDone()).isTrue();
        assertThat(login.expectsBareToken()).isFalse();
    }

    @Test
    void aTokenAfterTheLoginIsRefused() {
        Login login = loggedIn(Duration.ZERO);
        assertThat(login.shakeHands("PLAIN", V1).errorCode()).isEqualTo(Errors.ILLEGAL_SASL_STATE.code());
        assertThat(plain(login, "alice", "wrong").errorCode()).isEqualTo(Errors.ILLEGAL_SASL_STATE.code());
        assertThat(login.isDone()).isTrue();
    }

    @Test
    void whereSessionsEndAClientLogsInAgainAsTheSameUser() {
        Login login = loggedIn(SESSION);
        now += SESSION.toNanos();
        assertThat(login.admits(ApiKeys.FETCH)).isTrue();
        now += 1;
        assertThat(login.admits(ApiKeys.FETCH)).isFalse();
        assertThat(login.admits(ApiKeys.SASL_HANDSHAKE)).isTrue();
        assertThat(login.shakeHands("PLAIN", V1).errorCode()).isZero();
        assertThat(plain(login, "alice", "secret").sessionLifetimeMs()).isEqualTo(SESSION.toMillis());
        assertThat(login.admits(ApiKeys.FETCH)).isTrue();
        login.shakeHands("PLAIN", V1);
        assertThat(plain(login, "bob", "other").errorCode()).isEqualTo(Errors.SASL_AUTHENTICATION_FAILED.code());
        assertThat(login.isDone()).isFalse();
    }

    @Test
    void aLoginHasATimeLimit() {
        Login login = login(Duration.ZERO);
        now += Duration.ofSeconds(10).toNanos();
        assertThat(login.isLate()).isFalse();
        now += 1;
        assertThat(login.isLate()).isTrue();
        assertThat(loggedIn(Duration.ZERO).isLate()).isFalse();
    }
}
