package dev.muster.it.trouble;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.Topic;
import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import dev.muster.core.TopicSettings;
import dev.muster.core.json.Json;
import dev.muster.embedded.Muster;
import dev.muster.embedded.admin.Groups.Lag;
import dev.muster.it.Rounds;
import dev.muster.store.PartitionLog;
import dev.muster.store.batch.BatchDecoder;
import dev.muster.store.file.FileStore;
import dev.muster.store.file.FileStoreOptions;
import dev.muster.store.file.check.DirectoryCheck;
import dev.muster.store.read.LogReader;
import dev.muster.store.read.LogSlice;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Backups of a directory in use: producers and members of a group are separate processes, segments are trimmed, and
 * topics are created and deleted. Each backup is restored elsewhere and opened. {@code -Dmuster.rounds=} sets the
 * number of backups and of kills.
 */
class BackupIT {
    private static final TopicName ORDERS = new TopicName("orders");
    private static final TopicName TRIMMED = new TopicName("trimmed");
    private static final String GROUP = "workers";
    private static final int PARTITIONS = 3;

    @TempDir
    Path directory;

    @Test
    @Timeout(value = 20, unit = TimeUnit.MINUTES)
    void restoredBackupHasAllRecordsAcknowledgedBeforeIt() throws Exception {
        int rounds = Rounds.count(2);
        Random random = Rounds.random("BackupIT");
        Path data = directory.resolve("data");
        Path backups = directory.resolve("backups");
        MusterCommand muster = MusterCommand.on(data);
        try (FileStore store = FileStore.open(data, FileStoreOptions.defaults())) {
            TopicSettings settings = TopicSettings.DEFAULT.withSegmentBytes(8 << 10);
            store.create(ORDERS, PARTITIONS, settings);
            store.create(TRIMMED, 1, settings);
            try (Load load = new Load(muster, store)) {
                load.awaitAcknowledged(300);
                long killed = 0;
                for (int round = 0; round < rounds; round++) {
                    backUpAndVerify(load, muster, backups, directory.resolve("restored-" + round), round > 0);
                    killed += killInTheMiddle(load, muster, backups, random) ? 1 : 0;
                    // After the kill the newest backup is the previous or the new one.
                    verifyNewest(load, muster, backups, directory.resolve("after-kill-" + round));
                }
                System.out.printf(
                        "%d backups under load and %d killed, %d of these left a draft: %d records acknowledged%n",
                        rounds,
                        rounds,
                        killed,
                        load.acknowledged().values().stream()
                                .mapToLong(end -> end)
                                .sum());
            }
        }
    }

    private void backUpAndVerify(Load load, MusterCommand muster, Path backups, Path restored, boolean again)
            throws Exception {
        Map<Integer, Long> acknowledged = load.acknowledged();
        Map<TopicPartition, Long> committed = committed(muster.data());
        MusterCommand.Result backup = muster.run("backup", muster.data().toString(), backups.toString(), "-o", "json");
        assertThat(backup.exit()).as(backup.errors()).isZero();
        Map<?, ?> report = (Map<?, ?>) Json.parse(backup.text());
        if (again) {
            assertThat((Long) report.get("filesShared"))
                    .as("shared with the backup before")
                    .isPositive();
        }
        MusterCommand.Result restore = muster.run("restore", backups.toString(), restored.toString());
        assertThat(restore.exit()).as(restore.errors()).isZero();
        verify(load, restored, acknowledged, committed);
    }

    private static void verifyNewest(Load load, MusterCommand muster, Path backups, Path restored) throws Exception {
        MusterCommand.Result restore = muster.run("restore", backups.toString(), restored.toString());
        assertThat(restore.exit()).as(restore.errors()).isZero();
        verify(load, restored, Map.of(), Map.of());
    }

    /** @return True if the backup was killed before it was done */
    private static boolean killInTheMiddle(Load load, MusterCommand muster, Path backups, Random random)
            throws Exception {
        load.check();
        try (MusterCommand.Running running = muster.start("backup", backups.toString())) {
            while (running.isAlive() && !holds(backups, "draft-")) {
                Thread.onSpinWait();
            }
            long until = System.nanoTime() + random.nextInt(30_000_000);
            while (System.nanoTime() < until) {
                Thread.onSpinWait();
            }
            running.signal("KILL");
            running.await();
        }
        return holds(backups, "draft-");
    }

    private static boolean holds(Path folder, String prefix) throws IOException {
        try (DirectoryStream<Path> found = Files.newDirectoryStream(folder, prefix + "*")) {
            return found.iterator().hasNext();
        }
    }

    /** Opens a restored directory and compares it with the one that is in use. */
    private static void verify(
            Load load, Path restored, Map<Integer, Long> acknowledged, Map<TopicPartition, Long> committed)
            throws IOException {
        Map<TopicPartition, Long> ends = new HashMap<>();
        try (FileStore copy = FileStore.open(restored, FileStoreOptions.defaults())) {
            for (Topic topic : copy.list()) {
                for (int i = 0; i < topic.partitions(); i++) {
                    PartitionLog log = copy.log(topic.id(), i);
                    ends.put(new TopicPartition(topic.name(), i), log.endOffset());
                    if (topic.name().equals(ORDERS)) {
                        assertThat(log.endOffset())
                                .as("end of orders-%d", i)
                                .isGreaterThanOrEqualTo(acknowledged.getOrDefault(i, 0L));
                        assertThat(values(log, log.endOffset()))
                                .as("records of orders-%d", i)
                                .isEqualTo(values(load.log(i), log.endOffset()));
                    } else {
                        assertThat(values(log, log.endOffset()))
                                .as("records of %s-%d", topic.name(), i)
                                .hasSize((int) (log.endOffset() - log.startOffset()));
                    }
                }
            }
        }
        Map<TopicPartition, Long> restoredCommits = committed(restored);
        restoredCommits.forEach((partition, offset) ->
                assertThat(offset).as("commit of %s", partition).isLessThanOrEqualTo(ends.get(partition)));
        committed.forEach((partition, offset) -> assertThat(restoredCommits.get(partition))
                .as("commit of %s", partition)
                .isGreaterThanOrEqualTo(offset));
        assertThat(DirectoryCheck.run(restored, false, _ -> {}).findings().stream()
                        .filter(finding -> finding.severity() == dev.muster.store.file.finding.Finding.Severity.DAMAGE))
                .isEmpty();
    }

    private static Map<TopicPartition, Long> committed(Path directory) {
        Map<TopicPartition, Long> committed = new HashMap<>();
        try (Muster muster = Muster.open(directory)) {
            for (Lag lag : muster.groups().lag(GROUP)) {
                lag.committed().ifPresent(offset -> committed.put(lag.partition(), offset));
            }
        }
        return committed;
    }

    /** The values of all records below an offset. */
    private static Map<Long, String> values(PartitionLog log, long end) {
        Map<Long, String> values = new TreeMap<>();
        try (LogReader reader = log.reader(log.startOffset())) {
            while (reader.position() < end) {
                LogSlice slice = reader.read(1 << 20);
                BatchDecoder records = BatchDecoder.over(slice.bytes());
                while (records.next()) {
                    if (records.offset() < end) {
                        values.put(records.offset(), new String(records.value(), StandardCharsets.UTF_8));
                    }
                }
            }
        }
        return values;
    }

    /** Programs that use the directory while backups are made. */
    private static final class Load implements AutoCloseable {
        private final FileStore store;
        private final List<MusterCommand.Running> producers;
        private final List<MusterCommand.Running> members;
        private final List<Thread> threads;
        private final AtomicBoolean ending = new AtomicBoolean();
        private final AtomicReference<Throwable> trouble = new AtomicReference<>();

        Load(MusterCommand muster, FileStore store) throws Exception {
            this.store = store;
            producers = List.of(
                    muster.start("produce", "orders", "-K", ":", "-o", "jsonl"),
                    muster.start("produce", "orders", "-K", ":", "-o", "jsonl"));
            members = List.of(
                    muster.start("consume", "orders", "-g", GROUP, "--id", "A", "--commit-every", "0s", "-q"),
                    muster.start("consume", "orders", "-g", GROUP, "--id", "B", "--commit-every", "0s", "-q"));
            threads = List.of(
                    Thread.ofPlatform().start(() -> guarded(() -> feed(producers.get(0), "a"))),
                    Thread.ofPlatform().start(() -> guarded(() -> feed(producers.get(1), "b"))),
                    Thread.ofPlatform().start(() -> guarded(this::trim)),
                    Thread.ofPlatform().start(() -> guarded(this::makeAndDelete)));
        }

        private interface Work {
            void run() throws Exception;
        }

        private void guarded(Work work) {
            try {
                work.run();
            } catch (Exception | AssertionError e) {
                trouble.compareAndSet(null, e);
            }
        }

        private void feed(MusterCommand.Running producer, String name) throws IOException {
            for (long number = 0; !ending.get(); number++) {
                producer.type(number % 7 + ":" + name + number + "-" + "x".repeat((int) (number % 200)));
                Rounds.letTimePass(3);
            }
        }

        private void trim() {
            try (Muster muster = Muster.open(store.directory())) {
                var producer = muster.producer(
                        TRIMMED.value(), dev.muster.embedded.Codec.STRING, dev.muster.embedded.Codec.STRING);
                PartitionLog log = store.log(store.find(TRIMMED).orElseThrow().id(), 0);
                while (!ending.get()) {
                    long end = 0;
                    for (int i = 0; i < 50; i++) {
                        end = producer.send("k", "y".repeat(300)).join().offset();
                    }
                    log.trim(end - 20);
                }
                producer.close();
            }
        }

        private void makeAndDelete() {
            for (int i = 0; !ending.get(); i++) {
                Topic topic = store.create(new TopicName("short-lived-" + i), 2, TopicSettings.DEFAULT);
                Rounds.letTimePass(5);
                store.delete(topic.name());
            }
        }

        PartitionLog log(int partition) {
            return store.log(store.find(ORDERS).orElseThrow().id(), partition);
        }

        /** The offset behind the last acknowledged record of each partition. */
        Map<Integer, Long> acknowledged() {
            Map<Integer, Long> ends = new HashMap<>();
            for (MusterCommand.Running producer : producers) {
                for (String line : producer.out().lines()) {
                    Map<?, ?> at = (Map<?, ?>) Json.parse(line);
                    ends.merge(Math.toIntExact((Long) at.get("partition")), (Long) at.get("offset") + 1, Math::max);
                }
            }
            return ends;
        }

        /** Waits until producers have this number of acknowledgements, and both members have read records. */
        void awaitAcknowledged(int count) throws InterruptedException {
            for (MusterCommand.Running producer : producers) {
                producer.out().await(_ -> producer.out().lines().size() >= count / producers.size());
            }
            for (MusterCommand.Running member : members) {
                member.out().await(_ -> true);
            }
            check();
        }

        void check() {
            assertThat(trouble.get()).as("trouble of the load").isNull();
            producers.forEach(producer -> assertThat(producer.isAlive())
                    .as(producer.err().lines().toString())
                    .isTrue());
        }

        @Override
        public void close() {
            ending.set(true);
            threads.forEach(Rounds::join);
            producers.forEach(MusterCommand.Running::close);
            members.forEach(MusterCommand.Running::close);
            assertThat(trouble.get()).as("trouble of the load").isNull();
        }
    }
}
