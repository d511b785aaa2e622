package dev.muster.bench.broker;

import dev.muster.bench.measure.ScratchFolder;
import dev.muster.testkit.kafka.KafkaPeer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Muster and Kafka side by side, each on a new folder, while a case runs. Both are started as their own documentation
 * says, with only the settings that one node needs.
 */
public final class BrokerPair implements AutoCloseable {
    /** The JVM options of Kafka's own start script. */
    private static final List<String> KAFKA_JVM = List.of(
            "-Xms1g",
            "-Xmx1g",
            "-XX:+UseG1GC",
            "-XX:MaxGCPauseMillis=20",
            "-XX:InitiatingHeapOccupancyPercent=35",
            "-XX:+ExplicitGCInvokesConcurrent",
            "-Djava.awt.headless=true");

    private final ScratchFolder scratch;
    private final Broker muster;
    private final Broker kafka;

    private BrokerPair(ScratchFolder scratch, Broker muster, Broker kafka) {
        this.scratch = scratch;
        this.muster = muster;
        this.kafka = kafka;
    }

    /**
     * A pair that is formatted and not started. The script {@code run} sets the path of the checkout, and has built it.
     */
    public static BrokerPair prepare(Path directory) throws IOException, InterruptedException {
        Path checkout = Path.of(System.getProperty("muster.checkout", "."));
        Path jars = KafkaPeer.jars(checkout)
                .orElseThrow(() -> new IOException(
                        "Kafka's jars are missing; mvn -f muster-testkit/kafka-peer/pom.xml package fetches them"));
        ScratchFolder scratch = ScratchFolder.in(directory);
        try {
            Path ours = Files.createDirectory(scratch.path().resolve("muster"));
            Path theirs = Files.createDirectory(scratch.path().resolve("kafka"));
            String script = checkout.resolve("muster").toString();
            return new BrokerPair(
                    scratch,
                    Broker.muster(List.of(script), Map.of("MUSTER_NO_BUILD", "1"), ours),
                    new Broker(new KafkaPeer(jars, KAFKA_JVM, List.of()).prepare(theirs)));
        } catch (IOException | InterruptedException | RuntimeException e) {
            scratch.close();
            throw e;
        }
    }

    /** A pair that is ready. */
    public static BrokerPair start(Path directory) throws IOException, InterruptedException {
        BrokerPair pair = prepare(directory);
        try {
            pair.muster.process().start();
            pair.kafka.process().start();
            return pair;
        } catch (IOException | InterruptedException | RuntimeException e) {
            pair.close();
            throw e;
        }
    }

    /** Kafka with its defaults: it acknowledges written records, and leaves the rest to the operating system. */
    public Rival kafka() {
        return new Rival("Kafka", kafka, Map.of());
    }

    /** Muster with its defaults: acknowledged records survive a power cut. */
    public Rival muster() {
        return new Rival("Muster", muster, Map.of());
    }

    /** Muster with the promise of Kafka. */
    public Rival musterOs() {
        return new Rival("Muster, sync=os", muster, Map.of("muster.sync", "os"));
    }

    /** The same as {@link #muster}, with the name for comparisons with {@link #musterOs}. */
    public Rival musterCommit() {
        return new Rival("Muster, sync=commit", muster, Map.of("muster.sync", "commit"));
    }

    /** The folder in which the brokers write. */
    public Path folder() {
        return scratch.path();
    }

    @Override
    public void close() throws IOException {
        muster.close();
        kafka.close();
        scratch.close();
    }
}
