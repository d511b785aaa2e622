package dev.muster.it.trouble;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.TopicSettings;
import dev.muster.embedded.Codec;
import dev.muster.embedded.Muster;
import dev.muster.embedded.Producer;
import dev.muster.embedded.Reader;
import dev.muster.embedded.Received;
import dev.muster.it.Figures;
import dev.muster.it.Mount;
import dev.muster.it.Rounds;
import dev.muster.store.DiskState;
import dev.muster.store.file.check.CheckReport;
import dev.muster.store.file.check.DirectoryCheck;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A disk is filled and freed under the load of {@link FullDiskLoad}, on the directory and on a server. No acknowledged
 * record is lost or duplicated. While the disk is full, reads and commits work, and trim and delete free space.
 * Afterwards all processes continue by themselves. {@code -Dmuster.rounds=20} runs the long form. Needs root.
 */
@Tag("figures")
class FullDiskUnderLoadIT {
    private static final int SHORT_ROUNDS = 2;
    private static final double RESUMED_MAX_MS = 2_000;
    private static final String TOPIC = "orders";
    private static final String VICTIM = "victim";
    private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(3);

    @TempDir
    Path scratch;

    /** The times from the removal of the ballast to the named event. */
    private final Map<String, List<Long>> resumedNanos = new TreeMap<>();

    @Test
    @Timeout(value = 30, unit = TimeUnit.MINUTES)
    void onTmpfsNothingIsLostAndAllContinue() throws Exception {
        try (Mount mount = Mount.tmpfs(scratch, 64)) {
            run("tmpfs", mount.folder(), Rounds.count(SHORT_ROUNDS));
        }
    }

    @Test
    @Timeout(value = 30, unit = TimeUnit.MINUTES)
    void onExt4NothingIsLostAndAllContinue() throws Exception {
        try (Mount mount = Mount.ext4(scratch, 64)) {
            run("ext4", mount.folder(), Rounds.count(SHORT_ROUNDS));
        }
    }

    private void run(String fileSystem, Path folder, int rounds) throws Exception {
        Path data = folder.resolve("data");
        Ballast ballast = new Ballast(folder);
        MusterCommand command = MusterCommand.on(data);
        try (Muster muster = Muster.open(data)) {
            muster.topics().create(TOPIC, 2, small());
            try (MusterCommand.Running server = command.start("serve", "--listen", "127.0.0.1:0", "-o", "json")) {
                String ready = server.out().await(line -> line.contains("\"advertised\":\""));
                String address = ready.replaceFirst(".*\"advertised\":\"([^\"]+)\".*", "$1");
                Set<String> acknowledged;
                try (FullDiskLoad load = new FullDiskLoad(muster, TOPIC, address)) {
                    await(load, "all produce and consume", () -> all(load, Map.of()));
                    try {
                        for (int round = 0; round < rounds; round++) {
                            fillAndFree(round, muster, load, ballast, command);
                        }
                    } finally {
                        // After a failure too: closing waits for producers, which wait for disk space.
                        ballast.remove();
                    }
                    load.stopProducing();
                    acknowledged = load.acknowledgedIds();
                    await(
                            load,
                            "every group gets every record",
                            () -> load.undelivered(acknowledged).isEmpty());
                }
                assertExactly(muster, acknowledged);
                System.out.printf(
                        "full disk under load, %s: %d rounds, %d records acknowledged, none lost or doubled%n",
                        fileSystem, rounds, acknowledged.size());
                assertResumedSoon();
                assertThat(server.terminate().exit()).isIn(0, 143);
            }
        }
        CheckReport report = DirectoryCheck.run(data, false, _ -> {});
        assertThat(report.clean()).as("%s", report.findings()).isTrue();
    }

    private static TopicSettings small() {
        return TopicSettings.DEFAULT.with("segment.bytes", "200000");
    }

    private void fillAndFree(int round, Muster muster, FullDiskLoad load, Ballast ballast, MusterCommand command)
            throws Exception {
        String doomed = "doomed-" + round;
        for (String topic : List.of(VICTIM, doomed)) {
            if (muster.topics().find(topic).isEmpty()) {
                muster.topics().create(topic, 1, small());
            }
            write(muster, topic);
        }
        fill(load, muster, ballast);
        awaitStillness(load);
        Set<String> sofar = load.acknowledgedIds();
        await(
                load,
                "groups read and commit on a full disk",
                () -> load.undelivered(sofar).isEmpty());
        assertThat(read(muster).keySet()).containsAll(sofar);
        fill(load, muster, ballast);
        load.readInNewGroups("-" + round, sofar, Duration.ofNanos(PATIENCE_NANOS));
        for (String kind : List.of("embedded-", "classic-", "modern-")) {
            assertThat(muster.groups().lag(kind + round))
                    .allSatisfy(lag -> assertThat(lag.lag()).as("%s", lag).hasValue(0));
            muster.groups().delete(kind + round);
        }
        if (round == 0) {
            MusterCommand.Result listed = command.run("topic", "list", "-o", "name");
            assertThat(listed.out()).as(listed.errors()).contains(TOPIC, VICTIM, doomed);
        }
        assertGivesRoom(load, ballast, logs(muster, command, VICTIM), () -> {
            long end = muster.topics().partition(VICTIM, 0).endOffset();
            muster.topics().trim(VICTIM, 0, end);
        });
        assertGivesRoom(
                load,
                ballast,
                logs(muster, command, doomed),
                () -> muster.topics().delete(doomed));
        Map<String, Long> before = load.counts();
        Set<String> known = load.acknowledgedIds();
        long freed = System.nanoTime();
        ballast.remove();
        for (String producer : before.keySet()) {
            await(load, producer + " goes on", () -> load.counts().get(producer) > before.get(producer));
            note(producer, freed);
        }
        await(load, "more records are acknowledged", () -> load.count() > known.size());
        Set<String> fresh = load.acknowledgedIds();
        await(load, "groups go on", () -> load.undelivered(fresh).isEmpty());
        note("every group", freed);
        await(load, "there is room", () -> level(muster) != DiskState.Level.FULL);
    }

    /** Takes all blocks, repeatedly if some were freed meanwhile, until the store reports a full disk. */
    private static void fill(FullDiskLoad load, Muster muster, Ballast ballast) {
        await(load, "the state is FULL", () -> {
            try {
                ballast.fill();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return level(muster) == DiskState.Level.FULL;
        });
    }

    private static void write(Muster muster, String topic) {
        try (Producer<String, String> producer = muster.producer(topic, Codec.STRING, Codec.STRING)) {
            for (int i = 0; i < 600; i++) {
                var _ = producer.send("filler", "y".repeat(1_000));
            }
        }
    }

    private void note(String what, long sinceNanos) {
        resumedNanos.computeIfAbsent(what, _ -> new ArrayList<>()).add(System.nanoTime() - sinceNanos);
    }

    private void assertResumedSoon() {
        resumedNanos.forEach((what, nanos) -> {
            Figures figures = Figures.of(nanos);
            System.out.printf("after there was room, %s: %s%n", what, figures);
            Figures.assertBelow("ms until " + what + " went on", figures.p50Millis(), RESUMED_MAX_MS);
        });
    }

    private static DiskState.Level level(Muster muster) {
        return muster.disk().orElseThrow().level();
    }

    private static boolean all(FullDiskLoad load, Map<String, Long> before) {
        return load.count() > 0
                && load.counts().entrySet().stream()
                        .allMatch(entry -> entry.getValue() > before.getOrDefault(entry.getKey(), 0L))
                && load.undelivered(Set.of()).isEmpty();
    }

    private interface Step {
        void run() throws IOException;
    }

    /** Checks the files of the topic, because the producers may use the freed space at once. */
    private static void assertGivesRoom(FullDiskLoad load, Ballast ballast, Path logs, Step step) throws IOException {
        ballast.fill();
        long before = bytes(logs);
        step.run();
        await(load, "the files in " + logs + " have less than " + before + " bytes", () -> bytes(logs) < before);
    }

    /** The folder with the log of this topic. */
    private static Path logs(Muster muster, MusterCommand command, String topic) {
        String id = muster.topics().find(topic).orElseThrow().id().toString();
        return command.data().resolve("logs").resolve(id);
    }

    private static long bytes(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.mapToLong(file -> file.toFile().length()).sum();
        } catch (NoSuchFileException e) {
            return 0;
        } catch (UncheckedIOException e) {
            // A folder was removed meanwhile: the check is repeated.
            return Long.MAX_VALUE;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits until no record is acknowledged for a while, because producers wait for disk space. */
    private static void awaitStillness(FullDiskLoad load) {
        await(load, "producers wait", () -> {
            long count = load.count();
            Rounds.letTimePass(300);
            return load.count() == count;
        });
    }

    private static void await(FullDiskLoad load, String what, BooleanSupplier holds) {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        Supplier<String> state =
                () -> what + "; " + load.counts() + "; missing " + load.undelivered(load.acknowledgedIds());
        while (!holds.getAsBoolean()) {
            assertThat(load.failures()).as(state.get()).isEmpty();
            assertThat(System.nanoTime() - deadline).as(state.get()).isNegative();
            Rounds.letTimePass(5);
        }
        assertThat(load.failures()).as(what).isEmpty();
    }

    /** The number of copies of each record. */
    private static Map<String, Integer> read(Muster muster) {
        Map<String, Integer> times = new LinkedHashMap<>();
        long records = muster.topics().partitions(TOPIC).stream()
                .mapToLong(partition -> partition.endOffset() - partition.startOffset())
                .sum();
        try (Reader<String, String> reader = muster.reader(TOPIC, Codec.STRING, Codec.STRING)) {
            long deadline = System.nanoTime() + PATIENCE_NANOS;
            for (long count = 0; count < records; ) {
                List<Received<String, String>> some = reader.poll(Duration.ofMillis(100));
                some.forEach(record -> times.merge(record.key(), 1, Integer::sum));
                count += some.size();
                assertThat(System.nanoTime() - deadline)
                        .as("read %d of %d", count, records)
                        .isNegative();
            }
        }
        return times;
    }

    private static void assertExactly(Muster muster, Set<String> acknowledged) {
        Map<String, Integer> times = read(muster);
        assertThat(times.keySet()).containsExactlyInAnyOrderElementsOf(acknowledged);
        List<String> doubled = new ArrayList<>();
        times.forEach((id, count) -> {
            if (count > 1 && !FullDiskLoad.mayBeDoubled(id)) {
                doubled.add(id);
            }
        });
        assertThat(doubled).as("doubled").isEmpty();
    }
}
