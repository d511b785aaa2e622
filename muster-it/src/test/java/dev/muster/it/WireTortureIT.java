package dev.muster.it;

import static dev.muster.it.GroupMemberMain.GROUP;
import static dev.muster.it.GroupMemberMain.TOPIC;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.cli.Main;
import dev.muster.embedded.Muster;
import dev.muster.it.TortureReferee.Freeze;
import dev.muster.it.TortureReferee.Wire;
import dev.muster.it.kafka.KafkaMemberMain;
import dev.muster.testkit.kafka.LoopbackPorts;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Members of all kinds in one group, and a server that is killed again and again: embedded processes, clients of the
 * new protocol, and clients of the classic one, eager and cooperative. They join, leave, die and freeze at random while
 * numbered records are written, embedded and over the wire. The group changes its rules when only classic clients are
 * left, or when another member joins them.
 */
class WireTortureIT {
    private static final int KINDS = 4;
    private static final int OF_EACH_KIND = Boolean.getBoolean("muster.soak") ? 3 : 2;
    private static final int FREEZE_MS_MAX = 5000;
    private static final Torture.Size SIZE = new Torture.Size(12, 5, 200, FREEZE_MS_MAX, 20);
    private static final long SESSION_MS = 3000;
    private static final long HEARTBEAT_MS = 400;
    private static final int SERVER_LIFE_MS_MAX = 4000;
    /** The time that clients may need to reconnect after a server is ready. */
    private static final long COME_BACK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final String ASSIGNORS = "partition.assignment.strategy=";
    private static final String COOPERATIVE = "org.apache.kafka.clients.consumer.CooperativeStickyAssignor";

    @TempDir
    Path directory;

    private final List<Freeze> cutOffs = new ArrayList<>();
    private Torture torture;
    private Child server;
    private int port;
    private int serverKills;
    private long serverDies;

    // Members

    /** A process with a consumer of Kafka's own. */
    private final class WireKind implements TortureSlot.Kind {
        private final String name;
        private final String[] settings;

        WireKind(String name, String... settings) {
            this.name = name;
            this.settings = settings;
        }

        @Override
        public MemberProcess join(int number) throws IOException {
            List<Object> arguments = new ArrayList<>(List.of("127.0.0.1:" + port, TOPIC));
            arguments.add("group.id=" + GROUP);
            arguments.add("client.id=" + name + "." + number);
            arguments.add("max.poll.records=" + (1 + torture.random().nextInt(200)));
            arguments.addAll(List.of(settings));
            return MemberProcess.listenTo(name + "." + number, Child.start(KafkaMemberMain.class, arguments.toArray()));
        }

        @Override
        public Optional<Wire> wire() {
            return Optional.of(
                    new Wire(TimeUnit.MILLISECONDS.toNanos(SESSION_MS), TimeUnit.MILLISECONDS.toNanos(HEARTBEAT_MS)));
        }

        @Override
        public List<Freeze> cutOff() {
            return cutOffs;
        }
    }

    private WireKind classic(String name, String assignors) {
        return new WireKind(
                name,
                "group.protocol=classic",
                "session.timeout.ms=" + SESSION_MS,
                "heartbeat.interval.ms=" + HEARTBEAT_MS,
                ASSIGNORS + assignors);
    }

    /** Creates a slot of each kind, and then another one of each kind. */
    private void makePlaces() {
        for (int i = 0; i < OF_EACH_KIND; i++) {
            torture.place(torture::embedded);
            torture.place(new WireKind("modern", "group.protocol=consumer"));
            // A client with an eager and a cooperative assignor releases all partitions before it joins. So it can
            // share a group with cooperative clients during a rolling change.
            torture.place(classic("eager", "org.apache.kafka.clients.consumer.RangeAssignor," + COOPERATIVE));
            torture.place(classic("cooperative", COOPERATIVE));
        }
    }

    // The server

    /** The first server chooses the port, and the next ones use the same. */
    private void startServer() throws IOException {
        port = port == 0 ? LoopbackPorts.free() : port;
        server = Child.start(
                Main.class,
                "serve",
                "--data",
                directory,
                "--listen",
                "127.0.0.1:" + port,
                "--set",
                "group.consumer.session.timeout.ms=" + SESSION_MS,
                "--set",
                "group.consumer.heartbeat.interval.ms=" + HEARTBEAT_MS,
                "--set",
                "group.min.session.timeout.ms=" + SESSION_MS);
        String line = server.readLine();
        Matcher ready =
                Pattern.compile("ready: .* at 127\\.0\\.0\\.1:(\\d+) .*").matcher(line == null ? "" : line);
        assertThat(ready.matches()).as("the server is ready; it said: %s", line).isTrue();
        port = Integer.parseInt(ready.group(1));
    }

    /** @param meanwhile slot whose member gets a fault while there is no server */
    private void killServer(TortureSlot meanwhile) throws IOException, InterruptedException {
        long at = System.nanoTime();
        server.kill();
        server.close();
        serverKills++;
        // A member that leaves before the next server starts never reaches a server again.
        cutOffs.add(new Freeze(at, Long.MAX_VALUE));
        torture.hurt(meanwhile);
        startServer();
        long ready = System.nanoTime();
        cutOffs.removeLast();
        cutOffs.add(new Freeze(at, ready + COME_BACK_NANOS));
        serverDies =
                ready + TimeUnit.MILLISECONDS.toNanos(1000 + torture.random().nextInt(SERVER_LIFE_MS_MAX));
    }

    // Records

    private void produceOverTheWire() {
        Map<String, Object> settings = Map.of(
                "bootstrap.servers",
                "127.0.0.1:" + port,
                "linger.ms",
                5,
                "reconnect.backoff.max.ms",
                200,
                "delivery.timeout.ms",
                1_200_000);
        try (KafkaProducer<String, String> producer =
                new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
            torture.produce(
                    partition -> partition % 2 == 1,
                    (partition, value) -> producer.send(new ProducerRecord<>(TOPIC, partition, null, value)));
            producer.flush();
        }
    }

    // Torture

    @Test
    @Timeout(value = 40, unit = TimeUnit.MINUTES)
    void randomFailuresOfMembersAndServerLoseNoRecordsOrCommits() throws Exception {
        try (Muster muster = Muster.open(directory);
                Torture all = new Torture("WireTortureIT", directory, SIZE);
                CommitsNeverGoBack commits = new CommitsNeverGoBack(directory, GROUP)) {
            torture = all;
            makePlaces();
            torture.createTopic(muster);
            startServer();
            Thread within = torture.produceEmbedded(muster, partition -> partition % 2 == 0);
            Thread over = Thread.ofPlatform().start(this::produceOverTheWire);
            try {
                torment();
                torture.stopProducing();
                over.join();
                within.join();
                torture.drain(muster);
            } finally {
                torture.stopProducing();
                server.close();
                within.join();
            }
            torture.judge(commits, ", " + serverKills + " servers killed");
            assertThat(serverKills).as("servers killed, or this test is blind").isPositive();
        }
    }

    private void torment() throws Exception {
        torture.joinAll();
        torture.awaitOwners();
        torture.torment(() -> {
            if (serverKills == 0) {
                eachOnce();
            } else if (System.nanoTime() > serverDies) {
                killServer(torture.anyPlace());
            }
        });
    }

    /**
     * Even on a slow machine one member of each kind is stopped until it is expelled, one dies, and the server dies.
     */
    private void eachOnce() throws IOException, InterruptedException {
        List<TortureSlot> slots = torture.places();
        for (int kind = 0; kind < KINDS; kind++) {
            slots.get(kind)
                    .freezeUntil(SESSION_MS + torture.random().nextInt(FREEZE_MS_MAX - (int) SESSION_MS), _ -> true);
            slots.get(KINDS + kind).kill();
        }
        killServer(slots.getLast());
    }
}
