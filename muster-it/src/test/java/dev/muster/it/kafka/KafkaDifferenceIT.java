package dev.muster.it.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.muster.core.group.model.GroupName;
import dev.muster.it.kafka.GroupScene.Times;
import dev.muster.store.group.GroupJournal;
import dev.muster.testkit.kafka.KafkaPeer;
import dev.muster.testkit.kafka.ServerProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Muster and Apache Kafka answer the same requests equally, except for the list in {@link KnownDifference}. The short
 * form plays the same scripts each time. {@code -Dmuster.rounds} says how many there are, from a new seed each time;
 * {@code -Dmuster.seed} repeats one.
 */
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class KafkaDifferenceIT {
    private static final boolean SHORT = Integer.getInteger("muster.rounds") == null;
    private static final int SCRIPTS = Integer.getInteger("muster.rounds", 40);
    private static final int STEPS = 40;
    /** A few differences are enough to find the common cause. */
    private static final int DIFFERENCES_MAX = Integer.getInteger("muster.differences", 3);

    private static final int PARTITIONS = 3;
    private static final int ATTEMPTS = 20;

    /**
     * One thread of each kind: requests are processed in order, so an answer shows that all earlier requests were
     * processed.
     */
    private static final List<String> KAFKA_SETTINGS = List.of(
            "num.network.threads=1",
            "num.io.threads=1",
            "group.coordinator.threads=1",
            "group.coordinator.append.linger.ms=0",
            "group.initial.rebalance.delay.ms=0",
            "group.min.session.timeout.ms=1000",
            "offsets.topic.num.partitions=1",
            "auto.create.topics.enable=false");

    private static final List<String> KAFKA_JVM = List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx512m");

    @TempDir
    private static Path folder;

    private static Door door;
    private static ServerProcess peer;
    private static BrokerSide muster;
    private static BrokerSide kafka;

    @BeforeAll
    static void openBoth() throws Exception {
        Optional<Path> jars = KafkaPeer.jars(Path.of(".."));
        assumeTrue(jars.isPresent(), "the build could not fetch Kafka's broker: nothing is compared");
        door = Door.open(
                folder.resolve("muster"),
                "group.initial.rebalance.delay.ms=0",
                "group.min.session.timeout.ms=1000",
                "auto.create.topics.enable=false");
        long begin = System.nanoTime();
        peer = new KafkaPeer(jars.get(), KAFKA_JVM, KAFKA_SETTINGS)
                .prepare(Files.createDirectory(folder.resolve("kafka")));
        peer.start();
        System.out.printf("Kafka started in %.1f s%n", (System.nanoTime() - begin) / 1e9);
        muster = new BrokerSide(
                "Muster",
                door.server().advertised().port(),
                group -> door.store()
                        .groups()
                        .find(new GroupName(group))
                        .map(GroupJournal::endVersion)
                        .orElse(0L));
        kafka = new BrokerSide("Kafka", peer.port(), group -> 0);
        for (BrokerSide side : new BrokerSide[] {muster, kafka}) {
            for (String topic : GroupScript.TOPICS) {
                side.createTopic(topic, PARTITIONS);
                side.fill(topic, PARTITIONS, OffsetSteps.OFFSETS);
            }
            side.awaitCoordinator();
        }
    }

    @AfterAll
    static void closeBoth() throws Exception {
        if (kafka != null) {
            kafka.close();
            muster.close();
        }
        if (peer != null) {
            peer.close();
        }
        if (door != null) {
            door.close();
        }
    }

    @Test
    void randomScriptsGetTheSameAnswersFromKafkaAndMuster() throws Exception {
        long seed = Long.getLong("muster.seed", SHORT ? 1 : new Random().nextLong() >>> 1);
        System.out.println("KafkaDifferenceIT: first script -Dmuster.seed=" + seed);
        long begin = System.nanoTime();
        List<String> differences = new ArrayList<>();
        for (int i = 0; i < SCRIPTS && differences.size() < DIFFERENCES_MAX; i++) {
            play(seed + i).ifPresent(differences::add);
        }
        assertThat(differences)
                .as("scripts that are answered differently, of %d", SCRIPTS)
                .isEmpty();
        System.out.printf("%d scripts of %d steps agree: %.1f s%n", SCRIPTS, STEPS, (System.nanoTime() - begin) / 1e9);
    }

    // Time

    @FunctionalInterface
    private interface Act {
        void play(GroupScene scene) throws Exception;
    }

    /**
     * Plays a scene with a timeout that must not expire early. If there is a difference and the machine was too slow,
     * plays it again in another group.
     */
    private static void playInTime(String group, Duration time, Act act) throws Exception {
        for (int attempt = 1; ; attempt++) {
            GroupScene scene = scene(group + attempt);
            try {
                act.play(scene);
                return;
            } catch (AssertionError e) {
                if (attempt == ATTEMPTS || !scene.tookTooLongFor(time)) {
                    throw e;
                }
                System.out.println("too slow, once more: " + e.getMessage());
            }
        }
    }

    private static GroupScene scene(String group) throws Exception {
        muster.beginAnew(group);
        kafka.beginAnew(group);
        return new GroupScene(new Comparison(muster, kafka, group), group);
    }

    @Test
    void aSilentMemberIsExpelledAfterItsSession() throws Exception {
        Duration session = Duration.ofSeconds(2);
        playInTime("silent", session, scene -> {
            scene.join("a", Times.LONG);
            scene.join("b", new Times(session, Duration.ofMinutes(5)));
            scene.rejoin("a", Times.LONG);
            scene.sync("a", 2);
            scene.await("PreparingRebalance", 1);
            scene.rejoin("a", Times.LONG);
            scene.await("CompletingRebalance", 1);
        });
    }

    @Test
    void aMemberThatMissesARebalanceIsExpelled() throws Exception {
        Times times = new Times(Duration.ofMinutes(3), Duration.ofSeconds(4));
        playInTime("late", times.rebalance(), scene -> {
            scene.join("a", times);
            scene.join("b", times);
            scene.rejoin("a", times);
            scene.sync("a", 2);
            scene.join("c", times);
            scene.rejoin("a", times);
            scene.await("CompletingRebalance", 2);
        });
    }

    @Test
    void aStaticMemberThatMissesARebalanceKeepsItsPlace() throws Exception {
        Times times = new Times(Duration.ofMinutes(3), Duration.ofSeconds(3));
        playInTime("static", times.rebalance(), scene -> {
            scene.joinAsStatic("a", "east", times);
            scene.sync("a", 1);
            scene.join("b", times);
            scene.await("CompletingRebalance", 2);
        });
    }

    @Test
    void aLeaderThatDoesNotAssignInTimeIsExpelled() throws Exception {
        GroupScene scene = scene("mute");
        scene.join("a", new Times(Duration.ofMinutes(3), Duration.ofSeconds(2)));
        scene.await("Empty", 0);
    }

    @Test
    void anUnusedMemberIdIsKeptForTheSessionTimeout() throws Exception {
        GroupScene scene = scene("unused");
        scene.join("a", Times.LONG);
        scene.sync("a", 1);
        scene.askForAnId("b", new Times(Duration.ofSeconds(3), Duration.ofMinutes(5)));
        scene.rejoin("a", Times.LONG);
        scene.await("CompletingRebalance", 1);
    }

    // Chance

    /** @return the difference; empty if there is none */
    private static Optional<String> play(long seed) throws Exception {
        String group = "script" + seed;
        muster.beginAnew(group);
        kafka.beginAnew(group);
        try {
            new GroupScript(new Random(seed), group, new Comparison(muster, kafka, group), muster).play(STEPS);
            return Optional.empty();
        } catch (AssertionError e) {
            return Optional.of("-Dmuster.seed=" + seed + " -Dmuster.rounds=1: " + e.getMessage());
        }
    }
}
