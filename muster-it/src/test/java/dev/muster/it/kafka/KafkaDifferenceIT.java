package dev.muster.it.kafka;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.muster.core.group.GroupName;
import dev.muster.store.group.GroupJournal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Muster and Apache Kafka are told the same and say the same, but for what {@link KnownDifference} lists. Scripts are
 * random: {@code -Dmuster.seed} repeats one, {@code -Dmuster.rounds} says how many there are.
 */
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class KafkaDifferenceIT {
    private static final int SCRIPTS = Integer.getInteger("muster.rounds", 40);
    private static final int STEPS = 40;
    private static final int PARTITIONS = 3;

    @TempDir
    private static Path folder;

    private static Door door;
    private static KafkaPeer peer;
    private static BrokerSide muster;
    private static BrokerSide kafka;

    @BeforeAll
    static void openBoth() throws Exception {
        Optional<Path> jars = KafkaPeer.jars();
        assumeTrue(jars.isPresent(), "the build could not fetch Kafka's broker: nothing is compared");
        door = Door.open(
                folder.resolve("muster"),
                "group.initial.rebalance.delay.ms=0",
                "group.min.session.timeout.ms=1000",
                "auto.create.topics.enable=false");
        long begin = System.nanoTime();
        peer = KafkaPeer.start(jars.get(), Files.createDirectory(folder.resolve("kafka")));
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
    void bothAnswerRandomScriptsInTheSameWay() throws Exception {
        long seed = Long.getLong("muster.seed", new Random().nextLong() >>> 1);
        System.out.println("KafkaDifferenceIT: first script -Dmuster.seed=" + seed);
        long begin = System.nanoTime();
        for (int i = 0; i < SCRIPTS; i++) {
            play(seed + i);
        }
        System.out.printf("%d scripts of %d steps agree: %.1f s%n", SCRIPTS, STEPS, (System.nanoTime() - begin) / 1e9);
    }

    private static void play(long seed) throws Exception {
        String group = "script" + seed;
        muster.beginAnew();
        kafka.beginAnew();
        try {
            new GroupScript(new Random(seed), group, new Comparison(muster, kafka, group), muster).play(STEPS);
        } catch (AssertionError e) {
            throw new AssertionError("-Dmuster.seed=" + seed + " -Dmuster.rounds=1: " + e.getMessage(), e);
        }
    }
}
