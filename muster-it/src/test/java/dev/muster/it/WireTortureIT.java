package dev.muster.it;

import static dev.muster.it.GroupMemberMain.GROUP;
import static dev.muster.it.GroupMemberMain.TOPIC;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.cli.Main;
import dev.muster.core.SyncLevel;
import dev.muster.core.TopicSettings;
import dev.muster.embedded.Codec;
import dev.muster.embedded.Groups;
import dev.muster.embedded.Message;
import dev.muster.embedded.Muster;
import dev.muster.embedded.Producer;
import dev.muster.it.TortureReferee.Freeze;
import dev.muster.it.TortureReferee.Verdict;
import dev.muster.it.TortureReferee.Wire;
import dev.muster.it.TortureSlot.Tally;
import dev.muster.it.kafka.KafkaMemberMain;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Members of all kinds at once, and a server that is killed again and again: embedded processes and clients of the new
 * protocol share one group, clients of the classic one have another on the same topic. They join, leave, die and freeze
 * at random while numbered records are written, from within and over the wire. Afterwards a {@link TortureReferee} for
 * each group judges what they said. How long: {@code -Dmuster.torture.seconds}, and minutes in a soak.
 */
class WireTortureIT {
    private static final String CLASSIC_GROUP = "elders";
    private static final int PARTITIONS = 8;
    private static final int KINDS = 3;
    private static final int OF_EACH_KIND = Boolean.getBoolean("muster.soak") ? 3 : 2;
    private static final long SECONDS =
            Long.getLong("muster.torture.seconds", Boolean.getBoolean("muster.soak") ? 240 : 8);
    private static final long SESSION_MS = 2000;
    private static final long HEARTBEAT_MS = 400;
    private static final long WIRE_SESSION_MS = 3000;
    private static final long WIRE_HEARTBEAT_MS = 400;
    private static final int FREEZE_MS_MAX = 5000;
    private static final int SERVER_LIFE_MS_MAX = 4000;
    private static final long RECORD_EVERY_NANOS = 20_000_000;
    /** So long after a server is ready its clients may need to be back. */
    private static final long COME_BACK_NANOS = TimeUnit.SECONDS.toNanos(1);

    @TempDir
    Path directory;

    private final Random random = Rounds.random("WireTortureIT");
    private final TortureReferee shared = referee();
    private final TortureReferee elders = referee();
    private final Tally tally = new Tally();
    private final List<Freeze> cutOffs = new ArrayList<>();
    private final AtomicLong[] written = new AtomicLong[PARTITIONS];
    private volatile boolean producing = true;
    private Child server;
    private int port;
    private int serverKills;

    private static TortureReferee referee() {
        return new TortureReferee(
                TimeUnit.MILLISECONDS.toNanos(SESSION_MS), TimeUnit.MILLISECONDS.toNanos(HEARTBEAT_MS));
    }

    // Members

    /** A process with a consumer of Kafka's own. */
    private final class WireKind implements TortureSlot.Kind {
        private final String group;
        private final String[] settings;

        WireKind(String group, String... settings) {
            this.group = group;
            this.settings = settings;
        }

        @Override
        public MemberProcess join(int number) throws IOException {
            List<Object> arguments = new ArrayList<>(List.of("127.0.0.1:" + port, TOPIC));
            arguments.add("group.id=" + group);
            arguments.add("max.poll.records=" + (1 + random.nextInt(200)));
            arguments.addAll(List.of(settings));
            String name = settings[0].substring(settings[0].indexOf('=') + 1) + "." + number;
            return MemberProcess.listenTo(name, Child.start(KafkaMemberMain.class, arguments.toArray()));
        }

        @Override
        public Optional<Wire> wire() {
            return Optional.of(new Wire(
                    TimeUnit.MILLISECONDS.toNanos(WIRE_SESSION_MS), TimeUnit.MILLISECONDS.toNanos(WIRE_HEARTBEAT_MS)));
        }

        @Override
        public List<Freeze> cutOff() {
            return cutOffs;
        }
    }

    private MemberProcess embedded(int number) throws IOException {
        return MemberProcess.join(
                directory,
                "embedded." + number,
                "session=" + SESSION_MS,
                "heartbeat=" + HEARTBEAT_MS,
                "records=" + (1 + random.nextInt(200)),
                "commit=" + (random.nextBoolean() ? "each" : Integer.toString(random.nextInt(400))));
    }

    private List<TortureSlot> slots() {
        WireKind modern = new WireKind(GROUP, "group.protocol=consumer");
        WireKind classic = new WireKind(
                CLASSIC_GROUP,
                "group.protocol=classic",
                "session.timeout.ms=" + WIRE_SESSION_MS,
                "heartbeat.interval.ms=" + WIRE_HEARTBEAT_MS);
        List<TortureSlot> slots = new ArrayList<>();
        for (int i = 0; i < OF_EACH_KIND; i++) {
            slots.add(new TortureSlot(shared, tally, this::embedded));
            slots.add(new TortureSlot(shared, tally, modern));
            slots.add(new TortureSlot(elders, tally, classic));
        }
        return slots;
    }

    // The server

    private void startServer() throws IOException {
        server = Child.start(
                Main.class,
                "serve",
                "--data",
                directory,
                "--listen",
                "127.0.0.1:" + port,
                "--set",
                "group.consumer.session.timeout.ms=" + WIRE_SESSION_MS,
                "--set",
                "group.consumer.heartbeat.interval.ms=" + WIRE_HEARTBEAT_MS,
                "--set",
                "group.min.session.timeout.ms=" + WIRE_SESSION_MS);
        String line = server.readLine();
        Matcher ready =
                Pattern.compile("ready: .* at 127\\.0\\.0\\.1:(\\d+) .*").matcher(line == null ? "" : line);
        assertThat(ready.matches()).as("the server is ready; it said: %s", line).isTrue();
        port = Integer.parseInt(ready.group(1));
    }

    /** @param meanwhile happens to a member while there is no server */
    private void killServer(TortureSlot meanwhile) throws IOException, InterruptedException {
        long at = System.nanoTime();
        server.kill();
        server.close();
        serverKills++;
        meanwhile.suffer(random, FREEZE_MS_MAX);
        startServer();
        cutOffs.add(new Freeze(at, System.nanoTime() + COME_BACK_NANOS));
    }

    // Records

    private void produceEmbedded(Muster muster) {
        try (Producer<byte[], String> producer = muster.producer(TOPIC, Codec.BYTES, Codec.STRING)) {
            for (long next = System.nanoTime(); producing; next += RECORD_EVERY_NANOS) {
                for (int partition = 0; partition < PARTITIONS; partition += 2) {
                    String value = "#" + written[partition].getAndIncrement();
                    producer.send(Message.<byte[], String>of(value).withPartition(partition));
                }
                LockSupport.parkNanos(next - System.nanoTime());
            }
            producer.flush();
        }
    }

    private void produceOverTheWire() {
        Map<String, Object> settings = Map.of(
                "bootstrap.servers",
                "127.0.0.1:" + port,
                "linger.ms",
                5,
                "reconnect.backoff.max.ms",
                200,
                "delivery.timeout.ms",
                120_000);
        try (KafkaProducer<String, String> producer =
                new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
            for (long next = System.nanoTime(); producing; next += RECORD_EVERY_NANOS) {
                for (int partition = 1; partition < PARTITIONS; partition += 2) {
                    String value = "#" + written[partition].getAndIncrement();
                    producer.send(new ProducerRecord<>(TOPIC, partition, null, value));
                }
                LockSupport.parkNanos(next - System.nanoTime());
            }
            producer.flush();
        }
    }

    // Torture

    @Test
    @Timeout(value = 20, unit = TimeUnit.MINUTES)
    void whateverHappensToMembersOfAllKindsAndTheirServerRecordsAndCommitsAreSafe() throws Exception {
        for (int i = 0; i < PARTITIONS; i++) {
            written[i] = new AtomicLong();
        }
        List<TortureSlot> slots = slots();
        try (Muster muster = Muster.open(directory)) {
            muster.topics().create(TOPIC, PARTITIONS, TopicSettings.DEFAULT.withSync(SyncLevel.OS));
            startServer();
            Thread within = Thread.ofPlatform().start(() -> produceEmbedded(muster));
            Thread over = Thread.ofPlatform().start(this::produceOverTheWire);
            try (CommitsNeverGoBack ofShared = new CommitsNeverGoBack(directory, GROUP);
                    CommitsNeverGoBack ofElders = new CommitsNeverGoBack(directory, CLASSIC_GROUP)) {
                torment(slots);
                producing = false;
                within.join();
                over.join();
                drain(muster, slots);
                assertThat(ofShared.violations()).isEmpty();
                assertThat(ofElders.violations()).isEmpty();
                report("embedded and new", shared, ofShared);
                report("classic", elders, ofElders);
                assertThat(serverKills)
                        .as("servers killed, or this test is blind")
                        .isPositive();
                assertThat(tally.killed)
                        .as("members killed, or this test is blind")
                        .isPositive();
                assertThat(tally.frozen)
                        .as("members frozen, or this test is blind")
                        .isPositive();
            } finally {
                producing = false;
                slots.forEach(TortureSlot::close);
                server.close();
                within.join();
            }
        }
    }

    private void torment(List<TortureSlot> slots) throws Exception {
        for (TortureSlot slot : slots) {
            slot.join();
        }
        for (TortureSlot slot : slots) {
            slot.awaitReady();
        }
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
        eachOnce(slots);
        long killAt = nextKill();
        while (System.nanoTime() < end) {
            Rounds.letTimePass(random.nextInt(200));
            for (TortureSlot slot : slots) {
                slot.goOnIfDue();
            }
            if (System.nanoTime() > killAt) {
                killServer(slots.get(random.nextInt(slots.size())));
                killAt = nextKill();
            }
            slots.get(random.nextInt(slots.size())).suffer(random, FREEZE_MS_MAX);
        }
    }

    /** However slow the machine is: one of each kind is stopped until it is out, one dies, and so does the server. */
    private void eachOnce(List<TortureSlot> slots) throws Exception {
        for (int kind = 0; kind < KINDS; kind++) {
            slots.get(kind).freeze(WIRE_SESSION_MS + random.nextInt(FREEZE_MS_MAX - (int) WIRE_SESSION_MS));
            slots.get(KINDS + kind).kill();
        }
        killServer(slots.getLast());
    }

    private long nextKill() {
        return System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(1000 + random.nextInt(SERVER_LIFE_MS_MAX));
    }

    /** Lets everything be read to its end, and all who live leave in peace. */
    private void drain(Muster muster, List<TortureSlot> slots) throws Exception {
        for (TortureSlot slot : slots) {
            slot.goOn();
            if (slot.isEmpty()) {
                slot.join();
            }
        }
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(120);
        for (String group : List.of(GROUP, CLASSIC_GROUP)) {
            List<Groups.Lag> lag = muster.groups().lag(group);
            while (lag.size() < PARTITIONS
                    || lag.stream().anyMatch(one -> one.lag().orElse(-1) != 0)) {
                assertThat(System.nanoTime())
                        .as("all is read in time by %s: %s", group, lag)
                        .isLessThan(deadline);
                Rounds.letTimePass(20);
                lag = muster.groups().lag(group);
            }
        }
        for (TortureSlot slot : slots) {
            slot.tellToLeave();
        }
        for (TortureSlot slot : slots) {
            slot.awaitLeft();
        }
    }

    private void report(String who, TortureReferee referee, CommitsNeverGoBack commits) throws IOException {
        SortedMap<Integer, Long> ends = new TreeMap<>();
        for (int partition = 0; partition < PARTITIONS; partition++) {
            ends.put(partition, written[partition].get());
        }
        Verdict verdict = referee.judge(ends);
        System.out.printf(
                "%d s, %s: %d processes in all, %d killed, %d left, %d freezes, %d servers killed; %d records written,"
                        + " %d handed out (%d again after a crash or a freeze); partitions taken %d times in %d"
                        + " generations, %d journal entries; handed out by those who had not heard that they were out:"
                        + " %d; partitions lost by starved members: %d%n",
                SECONDS,
                who,
                tally.started,
                tally.killed,
                tally.left,
                tally.frozen,
                serverKills,
                ends.values().stream().mapToLong(Long::longValue).sum(),
                verdict.handedOut(),
                verdict.duplicates(),
                verdict.takes(),
                commits.group().generation(),
                commits.entries(),
                verdict.overlaps(),
                verdict.starved());
        if (!verdict.violations().isEmpty()) {
            System.out.println("everything that was said: "
                    + Files.write(Path.of("target", "wire-torture.txt"), referee.transcript())
                            .toAbsolutePath());
        }
        assertThat(verdict.violations()).as(who).isEmpty();
        assertThat(verdict.takes())
                .as("partitions moved, or this test is blind")
                .isGreaterThan(PARTITIONS);
    }
}
