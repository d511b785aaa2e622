package dev.muster.it.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.it.Figures;
import dev.muster.it.Rounds;
import dev.muster.it.kafka.CommittingMember.Ledger;
import dev.muster.testkit.kafka.LoopbackPorts;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code kill -9} of the server while producers send and a group commits: no record is lost or delivered twice. */
@Timeout(value = 20, unit = TimeUnit.MINUTES)
class KilledServerIT {
    private static final int ROUNDS = Rounds.count(3);
    private static final int PRODUCERS = 4;
    private static final int PARTITIONS = 4;
    private static final int MEMBERS = 2;
    private static final String TOPIC = "orders";

    @TempDir
    private Path directory;

    @Test
    void serverKillsLoseAndDuplicateNoRecord() throws Exception {
        Random random = Rounds.random("KilledServerIT");
        Ledger ledger = new Ledger();
        AtomicLong acknowledged = new AtomicLong();
        List<NumberedProducer> producers = new ArrayList<>();
        List<CommittingMember> members = new ArrayList<>();
        List<Long> firstAcks = new ArrayList<>();
        ServerProcess server = ServerProcess.start(directory.resolve("data"), LoopbackPorts.free());
        try {
            create(server.address());
            for (int i = 0; i < PRODUCERS; i++) {
                producers.add(new NumberedProducer(
                        server.address(),
                        "producer-" + i,
                        TOPIC,
                        PARTITIONS,
                        acknowledged,
                        "linger.ms=1",
                        "batch.size=2000",
                        "buffer.memory=200000"));
            }
            for (int i = 0; i < MEMBERS; i++) {
                members.add(new CommittingMember(server.address(), "billing", TOPIC, ledger));
            }
            AtomicBoolean enough = new AtomicBoolean();
            List<Thread> senders = producers.stream()
                    .map(producer ->
                            Thread.ofPlatform().name(producer.name()).start(() -> sendUntil(enough::get, producer)))
                    .toList();
            for (int round = 0; round < ROUNDS; round++) {
                long from = acknowledged.get();
                long killAt = from + 1 + random.nextInt(3_000);
                await("acknowledgements", () -> acknowledged.get() >= killAt);
                server.kill();
                long atKill = acknowledged.get();
                server = ServerProcess.start(directory.resolve("data"), server.port());
                await("an acknowledgement of the next server", () -> acknowledged.get() > atKill);
                firstAcks.add(System.nanoTime() - server.startedNanos());
            }
            enough.set(true);
            for (Thread sender : senders) {
                sender.join();
            }
            producers.forEach(NumberedProducer::flush);
            WholeTopic.read(server.address(), TOPIC).assertHoldsExactly(producers);
            long sent = producers.stream().mapToLong(NumberedProducer::sent).sum();
            awaitCommits(ledger, sent);
            assertThat(ledger.faults()).as("what the group saw").isEmpty();
            assertThat(ledger.committedRecords()).as("committed records").isEqualTo(sent);
            System.out.printf(
                    "KilledServerIT: %d kills, %d records acknowledged, %s; start to first acknowledgement: %s%n",
                    ROUNDS, sent, ledger, Figures.of(firstAcks));
        } finally {
            for (CommittingMember member : members) {
                member.leave();
            }
            server.close();
            producers.forEach(NumberedProducer::close);
        }
    }

    private static void sendUntil(BooleanSupplier enough, NumberedProducer producer) {
        while (!enough.getAsBoolean()) {
            producer.send();
        }
    }

    private static void create(String address) throws Exception {
        try (Admin admin = Admin.create(Door.configuration(address))) {
            admin.createTopics(List.of(new NewTopic(TOPIC, Optional.of(PARTITIONS), Optional.empty())))
                    .all()
                    .get();
        }
    }

    /** Waits for commits. The members may read more slowly than the producers wrote, if they make progress. */
    private static void awaitCommits(Ledger ledger, long wanted) {
        while (ledger.committedRecords() < wanted && ledger.faults().isEmpty()) {
            long before = ledger.committedRecords();
            await(
                    "the group to commit more than " + before + " of " + wanted + " records",
                    () -> ledger.committedRecords() > before || !ledger.faults().isEmpty());
        }
    }

    private static void await(String what, BooleanSupplier holds) {
        long deadline = System.nanoTime() + Duration.ofMinutes(3).toNanos();
        while (!holds.getAsBoolean()) {
            assertThat(System.nanoTime()).as("time to wait for " + what).isLessThan(deadline);
            Rounds.letTimePass(1);
        }
    }

    @Test
    void afterAKillTheNextServerStartsAndASecondIsRefused() throws IOException, InterruptedException {
        Path data = directory.resolve("data");
        try (ServerProcess first = ServerProcess.start(data, 0)) {
            try (ServerProcess second = ServerProcess.begin(List.of(), data, 0)) {
                assertThat(second.await()).as("exit code").isEqualTo(1);
            }
            first.kill();
            try (ServerProcess next = ServerProcess.start(data, 0)) {
                assertThat(next.port()).isPositive();
            }
        }
    }
}
