package dev.muster.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.core.MusterException;
import dev.muster.kafka.config.ServerConfig;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.SaslAuthenticateRequestData;
import org.apache.kafka.common.message.SaslAuthenticateResponseData;
import org.apache.kafka.common.message.SaslHandshakeRequestData;
import org.apache.kafka.common.message.SaslHandshakeResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Connections to a server with logins, before, during and after a login. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class SaslConnectionTest {
    private static final byte[] RIGHT = "\0alice\0secret".getBytes(StandardCharsets.UTF_8);
    private static final byte[] WRONG = "\0alice\0Secret".getBytes(StandardCharsets.UTF_8);
    private static final int DELAY_MS = 150;

    @TempDir
    private Path folder;

    private MemoryBroker broker(String... more) throws IOException {
        Path users = Files.writeString(folder.resolve("users"), "alice:secret\n");
        Files.setPosixFilePermissions(users, PosixFilePermissions.fromString("rw-------"));
        Map<String, String> settings = new HashMap<>(Map.of(
                "sasl.enabled.mechanisms",
                "PLAIN",
                "muster.sasl.users.file",
                users.toString(),
                "connection.failed.authentication.delay.ms",
                Integer.toString(DELAY_MS)));
        for (int i = 0; i < more.length; i += 2) {
            settings.put(more[i], more[i + 1]);
        }
        return new MemoryBroker(settings);
    }

    private static SaslHandshakeResponseData shakeHands(WireClient client, int version) throws IOException {
        int id = client.send(new SaslHandshakeRequestData().setMechanism("PLAIN"), version);
        return client.receive(id, ApiKeys.SASL_HANDSHAKE, version, SaslHandshakeResponseData::new);
    }

    private static SaslAuthenticateResponseData authenticate(WireClient client, byte... token) throws IOException {
        int id = client.send(new SaslAuthenticateRequestData().setAuthBytes(token), 2);
        return client.receive(id, ApiKeys.SASL_AUTHENTICATE, 2, SaslAuthenticateResponseData::new);
    }

    private static void assertServed(WireClient client) throws IOException {
        int id = client.send(new MetadataRequestData().setTopics(null), 9);
        client.receive(id, ApiKeys.METADATA, 9, MetadataResponseData::new);
    }

    @Test
    void onlyApiVersionsIsAnsweredBeforeTheLogin() throws IOException {
        try (MemoryBroker broker = broker();
                WireClient client = new WireClient(broker.address())) {
            int id = client.send(new ApiVersionsRequestData(), 0);
            client.receive(id, ApiKeys.API_VERSIONS, 0, ApiVersionsResponseData::new);
            assertThat(shakeHands(client, 1).errorCode()).isZero();
            assertThat(authenticate(client, RIGHT).errorCode()).isZero();
            assertServed(client);
            assertThat(shakeHands(client, 1).errorCode()).isEqualTo(Errors.ILLEGAL_SASL_STATE.code());
            assertServed(client);
        }
    }

    @Test
    void otherRequestsBeforeTheLoginEndTheConnection() throws IOException {
        try (MemoryBroker broker = broker();
                WireClient client = new WireClient(broker.address());
                WireClient other = new WireClient(broker.address())) {
            client.send(new MetadataRequestData().setTopics(null), 9);
            assertThat(client.isClosedByServer()).isTrue();
            shakeHands(other, 1);
            other.send(new MetadataRequestData().setTopics(null), 9);
            assertThat(other.isClosedByServer()).isTrue();
        }
    }

    @Test
    void aWrongPasswordIsRefusedLateAndEndsTheConnection() throws IOException {
        try (MemoryBroker broker = broker();
                WireClient client = new WireClient(broker.address())) {
            shakeHands(client, 1);
            long begin = System.nanoTime();
            int id = client.send(new SaslAuthenticateRequestData().setAuthBytes(WRONG), 2);
            var said = client.receive(id, ApiKeys.SASL_AUTHENTICATE, 2, SaslAuthenticateResponseData::new);
            assertThat(System.nanoTime() - begin).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(DELAY_MS * 2 / 3));
            assertThat(said.errorCode()).isEqualTo(Errors.SASL_AUTHENTICATION_FAILED.code());
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    @Test
    void clientsThatSendBareTokensLogInToo() throws IOException {
        try (MemoryBroker broker = broker();
                WireClient client = new WireClient(broker.address());
                WireClient other = new WireClient(broker.address())) {
            shakeHands(client, 0);
            client.sendBytes(framed(RIGHT));
            assertThat(client.receive().remaining()).isZero();
            assertServed(client);
            shakeHands(other, 0);
            other.sendBytes(framed(WRONG));
            assertThat(other.isClosedByServer()).isTrue();
        }
    }

    private static byte[] framed(byte... token) {
        return ByteBuffer.allocate(4 + token.length)
                .putInt(token.length)
                .put(token)
                .array();
    }

    @Test
    void largeFramesAreRefusedBeforeTheLogin() throws IOException {
        try (MemoryBroker broker = broker("sasl.server.max.receive.size", "2048");
                WireClient client = new WireClient(broker.address());
                WireClient other = new WireClient(broker.address())) {
            client.sendBytes(ByteBuffer.allocate(4).putInt(2049).array());
            assertThat(client.isClosedByServer()).isTrue();
            shakeHands(other, 1);
            authenticate(other, RIGHT);
            int id = other.send(Batches.produce("orders", -1, Batches.of("a".repeat(5_000))), 9);
            assertThat(other.receive().getInt()).isEqualTo(id);
        }
    }

    @Test
    void aClientThatDoesNotLogInIsDisconnected() throws IOException {
        try (MemoryBroker broker = broker("muster.sasl.timeout.ms", "200");
                WireClient known = loggedIn(broker);
                WireClient client = new WireClient(broker.address())) {
            assertThat(client.isClosedByServer()).isTrue();
            assertServed(known);
        }
    }

    /** A logged-in client. With a short timeout the login of a slow machine may be cut off; then it is repeated. */
    private static WireClient loggedIn(MemoryBroker broker) throws IOException {
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
        while (true) {
            WireClient client = new WireClient(broker.address());
            try {
                shakeHands(client, 1);
                assertThat(authenticate(client, RIGHT).errorCode()).isZero();
                return client;
            } catch (EOFException | SocketException e) {
                client.close();
                assertThat(System.nanoTime())
                        .as("disconnected each time: %s", e)
                        .isLessThan(deadline);
            }
        }
    }

    @Test
    void incompleteSaslSettingsAreRefused() {
        assertThatThrownBy(() -> ServerConfig.fromMap(Map.of("muster.sasl.users.file", "users")))
                .isInstanceOf(MusterException.class)
                .hasMessageContaining("clients would not have to log in");
        assertThatThrownBy(() -> ServerConfig.fromMap(Map.of("sasl.enabled.mechanisms", "PLAIN")))
                .isInstanceOf(MusterException.class)
                .hasMessageContaining("no client could log in");
        assertThatThrownBy(() -> ServerConfig.fromMap(Map.of("sasl.enabled.mechanisms", "GSSAPI")))
                .isInstanceOfSatisfying(
                        MusterException.class,
                        e -> assertThat(e.hint().orElseThrow()).contains("SCRAM-SHA-512"));
    }

    @Test
    void settingsSurviveTheRoundTripToText() {
        Map<String, String> given = Map.of(
                "sasl.enabled.mechanisms",
                "PLAIN,SCRAM-SHA-512",
                "muster.sasl.users.file",
                "users",
                "sasl.server.max.receive.size",
                "4096",
                "muster.sasl.timeout.ms",
                "5",
                "connection.failed.authentication.delay.ms",
                "6",
                "connections.max.reauth.ms",
                "7");
        assertThat(ServerConfig.fromMap(given).toMap()).containsAllEntriesOf(given);
    }
}
