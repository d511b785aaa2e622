package dev.muster.it.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.kafka.sasl.Mechanism;
import dev.muster.kafka.sasl.Users;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.UnsupportedSaslMechanismException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Unmodified clients log in by every mechanism, and are refused with a wrong password. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class SaslIT {
    private static final String TOPIC = "orders";
    private static final int LOGINS = 2;
    private static final String SECRET = "s3cr=t, with a comma";

    @TempDir
    private Path folder;

    private Door door;

    /** Starts a server; its users file has a password of alice and credentials of bob. */
    private void open(String... settings) throws Exception {
        Path users = Files.write(
                folder.resolve("users"),
                List.of(
                        "alice:" + SECRET,
                        "bob:"
                                + Users.credential(Mechanism.SCRAM_SHA_256, SECRET)
                                        .text(),
                        "bob:"
                                + Users.credential(Mechanism.SCRAM_SHA_512, SECRET)
                                        .text()));
        Files.setPosixFilePermissions(users, PosixFilePermissions.fromString("rw-------"));
        door = Door.open(
                folder.resolve("data"),
                Stream.concat(
                                Stream.of(
                                        "sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512",
                                        "muster.sasl.users.file=" + users),
                                Stream.of(settings))
                        .toArray(String[]::new));
    }

    @AfterEach
    void close() {
        if (door != null) {
            door.close();
        }
    }

    private static String[] as(String mechanism, String name, String password) {
        String module = mechanism.equals("PLAIN") ? "plain.PlainLoginModule" : "scram.ScramLoginModule";
        return new String[] {
            "security.protocol=SASL_PLAINTEXT",
            "sasl.mechanism=" + mechanism,
            "sasl.jaas.config=org.apache.kafka.common.security." + module + " required username=\"" + name
                    + "\" password=\"" + password + "\";",
            "max.block.ms=20000"
        };
    }

    private void sendAndRead(String mechanism, String name) throws Exception {
        try (KafkaProducer<String, String> producer = door.producer(as(mechanism, name, SECRET));
                KafkaConsumer<String, String> consumer = door.consumer(as(mechanism, name, SECRET))) {
            long at = producer.send(new ProducerRecord<>(TOPIC, 0, "k", mechanism + name))
                    .get()
                    .offset();
            assertThat(Door.read(consumer, new TopicPartition(TOPIC, 0), at, 1))
                    .extracting(record -> record.value())
                    .containsExactly(mechanism + name);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"})
    void theJavaClientLogsIn(String mechanism) throws Exception {
        open();
        sendAndRead(mechanism, "alice");
        sendAndRead(mechanism, "bob");
        for (String name : List.of("alice", "bob", "mallory")) {
            try (KafkaProducer<String, String> producer = door.producer(as(mechanism, name, "guess"))) {
                assertThatThrownBy(() -> producer.send(new ProducerRecord<>(TOPIC, "never"))
                                .get())
                        .isInstanceOf(ExecutionException.class)
                        .hasCauseInstanceOf(SaslAuthenticationException.class)
                        .hasMessageContaining("invalid credentials with SASL mechanism " + mechanism);
            }
        }
    }

    @Test
    void aMechanismThatIsNotEnabledIsNamedToTheClient() throws Exception {
        open("sasl.enabled.mechanisms=SCRAM-SHA-512");
        sendAndRead("SCRAM-SHA-512", "bob");
        try (KafkaProducer<String, String> producer = door.producer(as("PLAIN", "bob", SECRET))) {
            assertThatThrownBy(() ->
                            producer.send(new ProducerRecord<>(TOPIC, "never")).get())
                    .hasCauseInstanceOf(UnsupportedSaslMechanismException.class)
                    .hasMessageContaining("SCRAM-SHA-512");
        }
    }

    @Test
    void anExpiringSessionMakesTheJavaClientLogInAgain() throws Exception {
        open("connections.max.reauth.ms=1000");
        try (KafkaProducer<String, String> producer = door.producer(as("SCRAM-SHA-256", "alice", SECRET))) {
            long deadline = System.nanoTime() + Duration.ofMinutes(1).toNanos();
            int sent = 0;
            // The producer sends without a pause while its sessions expire.
            for (double before = 0; before < LOGINS; before = logins(producer)) {
                assertThat(System.nanoTime()).as("time to log in again").isLessThan(deadline);
                assertThat(producer.send(new ProducerRecord<>(TOPIC, 0, "k", "v" + sent))
                                .get()
                                .offset())
                        .isEqualTo(sent);
                sent++;
            }
            System.out.printf("SaslIT: %d records, %.0f logins after the first%n", sent, logins(producer));
        }
    }

    private static double logins(KafkaProducer<String, String> producer) {
        return (double) producer.metrics().entrySet().stream()
                .filter(metric -> metric.getKey().name().equals("successful-reauthentication-total"))
                .findFirst()
                .orElseThrow()
                .getValue()
                .metricValue();
    }

    @Test
    void theOlderJavaClientLogsIn() throws Exception {
        Programs.requireJars("java");
        open();
        sendAndRead("PLAIN", "alice");
        for (String mechanism : List.of("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")) {
            List<String> command = Stream.of(
                            Programs.java("java", JavaMember.class.getName()).stream(),
                            Stream.of("consume", door.address(), TOPIC, "readers-" + mechanism),
                            Stream.of(as(mechanism, "bob", SECRET)))
                    .flatMap(words -> words)
                    .toList();
            try (ForeignProcess reader = ForeignProcess.start(command)) {
                GroupMember.await(
                        ClientContract.PATIENCE, () -> !reader.records().isEmpty(), () -> "something read: " + reader);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"})
    @Timeout(value = 15, unit = TimeUnit.MINUTES)
    void kcatLogsIn(String mechanism) throws Exception {
        // Before 2.6.1 librdkafka sends its part of a SCRAM nonce twice, which Kafka 4 and Muster refuse. The timeout
        // is long because the first test builds the library, or waits for another process that does.
        NewLibrdkafka.require();
        open();
        ForeignProcess.run(kcat(mechanism, SECRET, "-P", "-t", TOPIC, "-p", "0"), "hello from kcat");
        assertThat(ForeignProcess.run(kcat(mechanism, SECRET, "-C", "-t", TOPIC, "-e", "-q")))
                .contains("hello from kcat");
        // kcat tries again repeatedly; the test waits for the message with the cause.
        try (ForeignProcess guessing = ForeignProcess.start(kcat(mechanism, "guess", "-C", "-t", TOPIC))) {
            GroupMember.await(
                    ClientContract.PATIENCE,
                    () -> guessing.lines().stream().anyMatch(line -> line.contains("invalid credentials")),
                    () -> "refused: " + guessing);
        }
    }

    private List<String> kcat(String mechanism, String password, String... rest) {
        List<String> command = new ArrayList<>(NewLibrdkafka.kcat());
        command.addAll(List.of("-b", door.address(), "-X", "security.protocol=sasl_plaintext"));
        command.addAll(List.of("-X", "sasl.mechanisms=" + mechanism, "-X", "sasl.username=bob"));
        command.addAll(List.of("-X", "sasl.password=" + password));
        command.addAll(List.of(rest));
        return command;
    }

    @ParameterizedTest
    @ValueSource(strings = {"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"})
    void kafkaPythonLogsIn(String mechanism) throws Exception {
        String python = Programs.pythonWith("kafka").orElse("");
        if (python.isEmpty()) {
            Programs.skip("no python3 has the module kafka (Debian: python3-kafka)");
        }
        open();
        String script = Programs.script("login.py");
        assertThat(ForeignProcess.run(
                        List.of(python, script, door.address(), TOPIC, mechanism, "bob", SECRET, "60000")))
                .contains("read hello from python");
        assertThatThrownBy(() -> ForeignProcess.run(
                        List.of(python, script, door.address(), TOPIC, mechanism, "bob", "guess", "2000")))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("NoBrokersAvailable");
    }

    @ParameterizedTest
    @ValueSource(strings = {"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"})
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void kafkajsLogsIn(String mechanism) throws Exception {
        String script = KafkaJsIT.script("login.js");
        open();
        assertThat(ForeignProcess.run(List.of("node", script, door.address(), TOPIC, mechanism, "bob", SECRET)))
                .contains("sent at 0");
        assertThatThrownBy(() ->
                        ForeignProcess.run(List.of("node", script, door.address(), TOPIC, mechanism, "bob", "guess")))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("invalid credentials");
    }
}
