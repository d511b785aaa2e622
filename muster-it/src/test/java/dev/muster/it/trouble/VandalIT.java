package dev.muster.it.trouble;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.MusterException;
import dev.muster.embedded.Codec;
import dev.muster.embedded.Muster;
import dev.muster.embedded.OnDamage;
import dev.muster.embedded.Reader;
import dev.muster.embedded.Received;
import dev.muster.it.Rounds;
import dev.muster.it.TestProcess;
import dev.muster.it.trouble.VandalBooks.Place;
import dev.muster.testkit.kafka.LoopbackPorts;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A vandal damages files of a directory under a running load of writers, readers, groups and a server. The segments of
 * topic {@code kept} are spared, so no record of it may be lost; those of topic {@code risked} are not. No process may
 * read a wrong record, lose one silently, cause endless generations, hang, or report a bug. Afterwards a check lists
 * the damage, and a repair and a restart restore all repairable files.
 *
 * <p>The short form makes the same choices each time. {@code -Dmuster.rounds=500} is the long form, with a new seed
 * each time; {@code -Dmuster.seed=} repeats the choices of a run, not its timing.
 */
class VandalIT {
    private static final int SHORT = 12;
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    /** Longer than the session of a Kafka client whose server was killed before it could leave. */
    private static final Duration PATIENCE_OF_GROUPS = Duration.ofMinutes(3);

    private static final Duration STALL = Duration.ofSeconds(15);
    private static final int RESTART_EVERY = 4;
    private static final Set<String> FACTS = Set.of("muster.json", "topic.json", "group.json");
    private static final String GROUP = "readers";

    @TempDir
    Path directory;

    private final VandalBooks books = new VandalBooks();
    private final Map<String, TestProcess> load = new TreeMap<>();
    private final Map<String, Start> starts = new TreeMap<>();
    private final List<String> serverWords = new ArrayList<>();
    private MusterCommand muster;
    private MusterCommand.Running server;
    private VandalWireLoad wire;
    private int port;
    private int serverStarts;
    private int processes;
    private int repairs;

    private interface Start {
        void again() throws IOException;
    }

    @AfterEach
    void endLoad() {
        if (wire != null) {
            wire.close();
        }
        load.values().forEach(TestProcess::close);
        if (server != null) {
            server.close();
        }
    }

    @Test
    @Timeout(value = 45, unit = TimeUnit.MINUTES)
    void damageUnderLoadIsNeverASilentLoss() throws Exception {
        int acts = Integer.getInteger("muster.rounds", SHORT);
        long seed = Long.getLong("muster.seed", acts == SHORT ? 1 : System.nanoTime());
        System.out.println("vandal: seed " + seed + " (repeat with -Dmuster.seed=" + seed + "), " + acts + " acts");
        Path data = directory.resolve("data");
        muster = MusterCommand.on(data);
        create("kept", "--partitions", "3");
        create("risked", "--partitions", "2", "--set", "segment.bytes=65536");
        port = LoopbackPorts.free();
        startServer();
        start("writer-1", "writer", "w1", "kept", "risked");
        start("writer-2", "writer", "w2", "kept", "risked");
        start("reader", "reader", "r", "kept");
        start("member-1", "member", GROUP, "kept");
        start("member-2", "member", GROUP, "kept");
        wire = new VandalWireLoad(port, books);
        awaitProgress("the start", 50);

        Random random = new Random(seed);
        Vandal vandal = new Vandal(data, random, file -> isSegment(file) && !isRisked(data, file));
        Map<Vandal.Act, Integer> deeds = new TreeMap<>();
        for (int i = 0; i < acts; i++) {
            Vandal.Deed deed = vandal.act();
            System.out.println("act " + i + ": " + deed.act() + " " + deed.file());
            deeds.merge(deed.act(), 1, Integer::sum);
            if (FACTS.contains(deed.file().getFileName().toString())) {
                // Each of these files has a copy. An operator repairs the file before the copy is damaged.
                printed("check", "--repair");
            }
            keepServerUp();
            if (i % RESTART_EVERY == RESTART_EVERY - 1) {
                restartOne(random);
            }
            awaitProgress(deed.toString(), 10);
            assertThat(books.faults()).as("after %s", deed).isEmpty();
        }
        awaitProgress("the last act", 100);
        long generations = books.generation();
        stopAll();
        System.out.printf(
                "vandal: %s; %d records, %d generations, %d server starts, %d repairs%n",
                deeds, books.records(), generations, serverStarts, repairs);
        books.troubles().forEach((trouble, count) -> System.out.println("  " + count + " x " + trouble));
        // An endless rebalance makes more generations than that within seconds. A paused machine costs one or two.
        assertThat(generations).as("generations").isLessThan(100 + 20L * acts);
        assertThat(books.faults()).isEmpty();
        assertThat(serverWords).noneMatch(line -> line.contains("this is a bug"));

        repair();
        printed("check");
        verifyKept(data);
        verifyGroup(data, GROUP, Set.of("member-1", "member-2"));
        verifyGroup(data, "wire", Set.of("wire-member"));
    }

    private void create(String... topicAndOptions) throws IOException, InterruptedException {
        List<String> words = new ArrayList<>(List.of("topic", "create"));
        words.addAll(List.of(topicAndOptions));
        MusterCommand.Result made = muster.run(words.toArray(String[]::new));
        assertThat(made.exit()).as(made.errors()).isZero();
    }

    private static boolean isSegment(Path file) {
        return file.startsWith("logs") && file.toString().endsWith(".log");
    }

    private final Map<String, Boolean> riskedFolders = new HashMap<>();

    /** True if this file is below the logs of topic {@code risked}. */
    private boolean isRisked(Path data, Path file) {
        return riskedFolders.computeIfAbsent(file.getName(1).toString(), id -> {
            try (Muster looking = Muster.open(data)) {
                return looking.topics()
                        .find("risked")
                        .map(topic -> topic.id().toString().equals(id))
                        .orElse(false);
            } catch (MusterException e) {
                return false;
            }
        });
    }

    private void start(String name, String kind, String who, String... topics) throws IOException {
        starts.put(name, () -> start(name, kind, who, topics));
        // Each process restarts the numbers of its records, so each has its own name.
        String own = kind.equals("writer") ? who + "x" + starts.size() + "n" + ++processes : who;
        List<Object> arguments = new ArrayList<>(List.of(directory.resolve("data"), kind, own));
        arguments.addAll(List.of(topics));
        TestProcess process = TestProcess.start(VandalLoad.class, arguments.toArray());
        load.put(name, process);
        Thread.ofPlatform().daemon().name("output of " + name).start(() -> {
            try {
                for (String line = process.readLine(); line != null; line = process.readLine()) {
                    books.note(name, line);
                }
            } catch (IOException e) {
                books.note(name, "trouble reading what it says: " + e.getMessage());
            }
        });
    }

    private void startServer() throws IOException, InterruptedException {
        serverStarts++;
        server = muster.start("serve", "--listen", "127.0.0.1:" + port);
        try {
            server.out().await(line -> line.startsWith("ready:"));
        } catch (AssertionError e) {
            serverWords.addAll(server.err().lines());
            System.out.println(
                    "vandal: the server did not start: " + server.err().lines());
        }
    }

    /** Starts a server again that ended, as a supervisor does. */
    private void keepServerUp() throws IOException, InterruptedException {
        if (!server.isAlive()) {
            serverWords.addAll(server.err().lines());
            MusterCommand.Result ended = server.await();
            System.out.println("vandal: the server ended (exit " + ended.exit() + "): " + ended.err());
            assertThat(ended.exit()).as("exit code, 134 if the JVM crashed").isLessThan(128);
            server.close();
            startServer();
        }
    }

    /** Kills one process of the load, or the server, and restarts it at once. */
    private void restartOne(Random random) throws IOException, InterruptedException {
        List<String> names = new ArrayList<>(load.keySet());
        int chosen = random.nextInt(names.size() + 1);
        if (chosen == names.size()) {
            server.signal("KILL");
            server.close();
            startServer();
            return;
        }
        String name = names.get(chosen);
        load.get(name).kill();
        starts.get(name).again();
    }

    /**
     * Waits for more acknowledged records. After a long time without any, it repairs the directory as an operator
     * would.
     */
    private void awaitProgress(String after, long more) throws Exception {
        long wanted = books.records() + more;
        long end = System.nanoTime() + PATIENCE.toNanos();
        long stalled = System.nanoTime() + STALL.toNanos();
        while (books.records() < wanted) {
            for (Map.Entry<String, TestProcess> each : load.entrySet()) {
                assertThat(each.getValue().isAlive())
                        .as("%s lives after %s", each.getKey(), after)
                        .isTrue();
            }
            assertThat(System.nanoTime())
                    .as("writers go on after %s; they say %s", after, books.troubles())
                    .isLessThan(end);
            keepServerUp();
            if (System.nanoTime() > stalled) {
                System.out.println("vandal: no progress after " + after + "; " + books.troubles());
                repair();
                repairs++;
                // The repair commands take time, too.
                end = System.nanoTime() + PATIENCE.toNanos();
                stalled = end;
            }
            Rounds.letTimePass(2);
        }
    }

    private void stopAll() throws IOException, InterruptedException {
        wire.close();
        for (TestProcess process : load.values()) {
            process.kill();
        }
        load.clear();
        serverWords.addAll(server.terminate().err());
    }

    /** Checks and repairs the directory and its damaged groups, as an operator would. */
    private void repair() throws Exception {
        printed("check");
        printed("check", "--repair");
        MusterCommand.Result groups = printed("group", "list");
        for (String group : List.of(GROUP, "wire")) {
            if (groups.out().stream().anyMatch(row -> row.startsWith(group + " ") && row.contains("Damaged"))) {
                printed("group", "repair", group, "--execute");
            }
        }
    }

    private MusterCommand.Result printed(String... words) throws IOException, InterruptedException {
        MusterCommand.Result result = muster.run(words);
        System.out.printf("vandal: muster %s (exit %d)%n", String.join(" ", words), result.exit());
        result.out()
                .forEach(line -> System.out.println(
                        "  " + line.replace(directory.toString(), "").replaceAll(" +", " ")));
        result.err().forEach(line -> System.out.println("  " + line.replace(directory.toString(), "")));
        assertThat(result.errors()).doesNotContain("this is a bug");
        return result;
    }

    private void verifyKept(Path data) {
        Map<Place, String> present = new HashMap<>();
        try (Muster opened = Muster.open(data);
                Reader<String, String> reader = opened.reader("kept")
                        .keys(Codec.STRING)
                        .values(Codec.STRING)
                        .from(dev.muster.embedded.Start.earliest())
                        .onDamage(OnDamage.SKIP)
                        .open()) {
            long end = System.nanoTime() + PATIENCE_OF_GROUPS.toNanos();
            while (!reader.atEnd()) {
                assertThat(System.nanoTime()).as("time to read all").isLessThan(end);
                for (Received<String, String> record : reader.poll(Duration.ofSeconds(1))) {
                    present.put(new Place("kept", record.partition(), record.offset()), VandalLoad.id(record.value()));
                }
            }
        }
        Map<Place, String> lost = new TreeMap<>(books.acknowledged("kept"));
        lost.entrySet().removeIf(record -> record.getValue().equals(present.get(record.getKey())));
        assertThat(lost).as("acknowledged records that are not there").isEmpty();
        assertThat(present.values()).as("records that no writer made").doesNotContain("");
    }

    /** Checks that every record of the topic was delivered to the group, or is delivered now. */
    private void verifyGroup(Path data, String group, Set<String> members) throws Exception {
        String late = "late-" + group;
        start(late, "member", group, "kept");
        Set<String> all = new HashSet<>(members);
        all.add(late);
        long end = System.nanoTime() + PATIENCE_OF_GROUPS.toNanos();
        Set<Place> missing = books.acknowledged("kept").keySet();
        while (!missing.isEmpty() && System.nanoTime() < end) {
            missing = new TreeSet<>(books.acknowledged("kept").keySet());
            missing.removeAll(books.delivered(all));
            Rounds.letTimePass(20);
        }
        assertThat(missing)
                .as("records that group %s never got; %s", group, books.troubles())
                .isEmpty();
        assertThat(books.faults()).isEmpty();
        load.remove(late).close();
    }
}
