package dev.muster.kafka.sasl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.core.MusterException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class UsersTest {
    @TempDir
    private Path folder;

    private Path file(String... lines) throws IOException {
        Path file = Files.write(folder.resolve("users"), List.of(lines));
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    }

    private Users users(String... lines) throws IOException {
        return Users.read(file(lines), List.of(Mechanism.values()));
    }

    @Test
    void passwordsMayHaveAnyCharactersAndLinesMayBeComments() throws IOException {
        Users users = users("# users of the shop", "", "alice:se:cr et ", "jürgen:pässwört");
        assertThat(users.find("alice").isOf("se:cr et ")).isTrue();
        assertThat(users.find("alice").isOf("se:cr et")).isFalse();
        assertThat(users.find("jürgen").isOf("pässwört")).isTrue();
        assertThat(users.find("bob").isOf("")).isFalse();
        assertThat(users.find("# users of the shop").isOf("")).isFalse();
    }

    @ParameterizedTest
    @EnumSource(Mechanism.class)
    void aCredentialAcceptsItsPasswordOnly(Mechanism mechanism) throws IOException {
        ScramCredential made = Users.credential(mechanism, "secret");
        Users users = users("alice:" + made.text());
        assertThat(users.find("alice").isOf("secret")).isTrue();
        assertThat(users.find("alice").isOf("Secret")).isFalse();
        assertThat(users.find("alice", mechanism.hash()).salt()).isEqualTo(made.salt());
        assertThat(Users.credential(mechanism, "secret").text())
                .as("another salt each time")
                .isNotEqualTo(made.text());
    }

    @Test
    void aUserMayHaveACredentialForEachHash() throws IOException {
        Users users = users(
                "alice:" + Users.credential(Mechanism.SCRAM_SHA_256, "one").text(),
                "alice:" + Users.credential(Mechanism.SCRAM_SHA_512, "one").text());
        assertThat(users.find("alice", ScramHash.SHA_256).isOf("one")).isTrue();
        assertThat(users.find("alice", ScramHash.SHA_512).isOf("one")).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "hunter2",
                ":hunter2",
                "alice:",
                "alice:SCRAM-SHA-256$hunter2",
                "alice:SCRAM-SHA-1$4096:aaaa$aaaa:aaaa",
                "alice:SCRAM-SHA-256$4096:aaaa$aaaa:aaaa",
            })
    void anInvalidLineIsNamedByItsNumberAndNotRepeated(String line) {
        assertThatThrownBy(() -> users("# first", line))
                .isInstanceOf(MusterException.class)
                .hasMessageContaining("line 2")
                .hasMessageNotContaining("hunter2");
    }

    @Test
    void weakCredentialsAreRefused() throws IOException {
        String weak = ScramCredential.of(ScramHash.SHA_256, "secret", new byte[16], 100)
                .text();
        assertThatThrownBy(() -> users("alice:" + weak)).hasMessageContaining("4096");
    }

    @Test
    void aSecondLineForAUserIsRefused() {
        assertThatThrownBy(() -> users("alice:one", "alice:two"))
                .hasMessageContaining("line 2")
                .hasMessageContaining("already");
    }

    @Test
    void aMissingFileIsReportedWithAHint() {
        assertThatThrownBy(() -> Users.read(folder.resolve("none"), List.of(Mechanism.PLAIN)))
                .isInstanceOfSatisfying(
                        MusterException.class,
                        e -> assertThat(e.hint().orElseThrow()).contains("name:password"));
    }

    /** The file holds passwords. The server does not start with a file that others can use, as ssh does with keys. */
    @ParameterizedTest
    @ValueSource(strings = {"rw-r-----", "rw--w----", "rw----r--", "rw-----w-", "rw-r--r--"})
    void aFileThatOthersCanUseIsRefused(String mode) throws IOException {
        Path file = file("alice:secret");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
        assertThatThrownBy(() -> Users.read(file, List.of(Mechanism.PLAIN)))
                .isInstanceOfSatisfying(
                        MusterException.class, e -> assertThat(e.hint()).contains("chmod 600 " + file))
                .hasMessageContaining("the users file " + file)
                .hasMessageContaining(mode);
    }

    @Test
    void aFileOfAnotherUserIsRefused() {
        Path file = Path.of("users");
        UsersFileAccess.checkOwner(file, 0, 1000);
        UsersFileAccess.checkOwner(file, 1000, 1000);
        assertThatThrownBy(() -> UsersFileAccess.checkOwner(file, 1001, 1000))
                .isInstanceOf(MusterException.class)
                .hasMessageContaining("belongs to another user (uid 1001");
        assertThatThrownBy(() -> UsersFileAccess.checkOwner(file, 1001, 0)).isInstanceOf(MusterException.class);
    }
}
