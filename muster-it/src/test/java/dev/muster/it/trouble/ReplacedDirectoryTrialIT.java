package dev.muster.it.trouble;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.it.trouble.MusterCommand.Result;
import dev.muster.it.trouble.MusterCommand.Running;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A segment that is removed, and a directory that is replaced by a restored backup, under a server and a member. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class ReplacedDirectoryTrialIT {
    private static final int REFUSED = 1;

    @TempDir
    Path root;

    private MusterCommand muster;

    @BeforeEach
    void makeATopicAndABackup() throws Exception {
        Files.createSymbolicLink(root.resolve("data"), Files.createDirectory(root.resolve("first")));
        muster = MusterCommand.on(root.resolve("data"));
        succeed("", "topic", "create", "orders", "--partitions", "1");
        succeed("of the backup\n", "produce", "orders");
        succeed("", "consume", "orders", "-g", "billing", "--exit");
        succeed("", "backup", muster.data().toString(), root.resolve("backups").toString());
    }

    private Result succeed(String input, String... args) throws Exception {
        Result result = muster.runWithInput(input, args);
        assertThat(result.exit())
                .as(String.join(" ", args) + ": " + result.errors())
                .isZero();
        return result;
    }

    /**
     * Replaces the directory while processes use it. It takes one step: a process that finds no directory may end with
     * that as its reason.
     */
    private void replaceByTheBackup() throws Exception {
        Path restored = root.resolve("restored");
        succeed("", "restore", root.resolve("backups").toString(), restored.toString());
        replaceBy(restored);
    }

    private void replaceBy(Path other) throws IOException {
        Path link = Files.createSymbolicLink(root.resolve("link"), other);
        Files.move(link, muster.data(), StandardCopyOption.ATOMIC_MOVE);
    }

    private Running serve() throws Exception {
        return muster.start("serve", "--listen", "localhost:0", "-o", "jsonl");
    }

    private static KafkaProducer<String, String> producer(Running server) throws Exception {
        String ready = server.out().await(line -> line.contains("\"advertised\""));
        String address = ready.replaceAll(".*\"advertised\":\"([^\"]*)\".*", "$1");
        return new KafkaProducer<>(
                Map.of("bootstrap.servers", address, "delivery.timeout.ms", "60000", "request.timeout.ms", "20000"),
                new StringSerializer(),
                new StringSerializer());
    }

    private static void send(KafkaProducer<String, String> producer, String value)
            throws InterruptedException, ExecutionException {
        producer.send(new ProducerRecord<>("orders", 0, null, value)).get();
    }

    @Test
    void aServerContinuesAfterASegmentWasRemoved() throws Exception {
        try (Running server = serve();
                KafkaProducer<String, String> producer = producer(server)) {
            send(producer, "of the removed segment");
            try (Stream<Path> all = Files.walk(muster.data().resolve("logs"))) {
                Files.delete(all.filter(file -> file.toString().endsWith(".log"))
                        .max(Comparator.naturalOrder())
                        .orElseThrow());
            }
            for (int i = 0; i < 5; i++) {
                send(producer, "acknowledged " + i);
            }
            assertThat(muster.run("consume", "orders", "--exit").out())
                    .containsExactly(
                            "acknowledged 0", "acknowledged 1", "acknowledged 2", "acknowledged 3", "acknowledged 4");
        }
    }

    @Test
    void aServerContinuesInTheRestoredDirectoryAndKeepsItsRole() throws Exception {
        try (Running server = serve();
                KafkaProducer<String, String> producer = producer(server)) {
            send(producer, "behind the backup");
            replaceByTheBackup();
            send(producer, "acknowledged");
            assertThat(muster.run("consume", "orders", "--exit").out())
                    .containsExactly("of the backup", "acknowledged");
            Result second = muster.run("serve", "--listen", "localhost:0");
            assertThat(second.exit()).as(second.errors()).isEqualTo(REFUSED);
            assertThat(second.errors()).contains("another server has this data directory");
            send(producer, "acknowledged later");
            assertThat(muster.run("consume", "orders", "--exit").out())
                    .containsExactly("of the backup", "acknowledged", "acknowledged later");
        }
    }

    @Test
    void aServerStopsIfAnotherHasTheRestoredDirectory() throws Exception {
        Path restored = root.resolve("restored");
        try (Running server = serve()) {
            server.out().await(line -> line.contains("\"advertised\""));
            succeed("", "restore", root.resolve("backups").toString(), restored.toString());
            try (Running second = MusterCommand.on(restored).start("serve", "--listen", "localhost:0", "-o", "jsonl");
                    KafkaProducer<String, String> producer = producer(second)) {
                send(producer, "of the second server");
                replaceBy(restored);
                String reason = server.err().await(line -> line.contains("another process has taken"));
                assertThat(reason).contains("was replaced");
            }
        }
    }

    @Test
    void aMemberContinuesInTheGroupOfTheRestoredDirectory() throws Exception {
        try (Running member = muster.start("consume", "orders", "-g", "billing", "--id", "A")) {
            member.err().await(line -> line.contains("A got orders 0"));
            replaceByTheBackup();
            succeed("restored\n", "produce", "orders");
            assertThat(member.out().await("restored"::equals)).isEqualTo("restored");
            awaitMemberInTheRestoredGroup();
            assertThat(member.terminate().exit()).isIn(0, 130, 143);
            succeed("later\n", "produce", "orders");
            assertThat(succeed("", "consume", "orders", "-g", "billing", "--exit")
                            .out())
                    .containsExactly("later");
        }
    }

    private void awaitMemberInTheRestoredGroup() throws IOException, InterruptedException {
        Result described = muster.run("group", "describe", "billing");
        for (long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(3);
                !described.text().contains("A ") && System.nanoTime() < end; ) {
            described = muster.run("group", "describe", "billing");
        }
        assertThat(described.text()).contains("A ");
    }

    @Test
    void aDeletedTopicExistsAgainInTheRestoredDirectory() throws Exception {
        try (Running server = serve();
                KafkaProducer<String, String> producer = producer(server)) {
            send(producer, "behind the backup");
            succeed("", "topic", "delete", "orders", "--yes");
            replaceByTheBackup();
            succeed("other\n", "produce", "orders");
            send(producer, "acknowledged");
            assertThat(muster.run("consume", "orders", "--exit").out())
                    .isEqualTo(List.of("of the backup", "other", "acknowledged"));
            succeed("", "topic", "delete", "orders", "--yes");
            assertThat(succeed("", "topic", "list", "-o", "name").out()).isEmpty();
        }
    }
}
