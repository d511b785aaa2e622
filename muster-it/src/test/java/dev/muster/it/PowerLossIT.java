package dev.muster.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.SyncLevel;
import dev.muster.core.TopicName;
import dev.muster.core.TopicSettings;
import dev.muster.store.PartitionLog;
import dev.muster.store.file.FileStore;
import dev.muster.store.file.FileStoreOptions;
import dev.muster.store.file.check.DirectoryCheck;
import dev.muster.store.file.host.ProcessIdentity;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The power of a real ext4 is cut under a writer. Synced records survive; at {@code sync=os} a suffix may go. */
class PowerLossIT {
    private static final TopicName TOPIC = new TopicName("t");
    private static final int MORE_ROUNDS_MAX = 10;

    @TempDir
    Path directory;

    @Test
    @Timeout(value = 20, unit = TimeUnit.MINUTES)
    void whatWasSyncedSurvivesAPowerCut() throws Exception {
        int rounds = Rounds.count(2);
        Random random = Rounds.random("PowerLossIT");
        long lostAtCommit = 0;
        long lostAtOs = 0;
        long acknowledged = 0;
        for (int round = 0; round < rounds; round++) {
            for (SyncLevel level : new SyncLevel[] {SyncLevel.COMMIT, SyncLevel.OS}) {
                Path parent = Files.createDirectories(directory.resolve(level + "-" + round));
                long[] result = round(parent, level, random);
                acknowledged += result[0];
                if (level == SyncLevel.COMMIT) {
                    lostAtCommit += result[1];
                } else {
                    lostAtOs += result[1];
                }
            }
        }
        System.out.printf(
                "%d power cuts: %d records acknowledged, lost at sync=os %d, at sync=commit %d%n",
                2 * rounds, acknowledged, lostAtOs, lostAtCommit);
        assertThat(lostAtCommit).as("lost at sync=commit").isZero();
        // The system may have written all of it by itself, if the machine was slow; not each time.
        for (int more = 0; lostAtOs == 0 && more < MORE_ROUNDS_MAX; more++) {
            lostAtOs = round(Files.createDirectories(directory.resolve("more-" + more)), SyncLevel.OS, random)[1];
        }
        assertThat(lostAtOs).as("lost at sync=os (none: the test is blind)").isPositive();
    }

    private static long[] round(Path parent, SyncLevel level, Random random) throws Exception {
        try (Mount disk = Mount.ext4(parent, 256)) {
            Path data = disk.folder().resolve("data");
            AtomicLong acknowledged = new AtomicLong();
            try (Child writer = Child.start(Writer.class, data, level)) {
                int wanted = 50 + random.nextInt(400);
                for (int i = 0; i < wanted; i++) {
                    acknowledged.set(Long.parseLong(writer.readLine()) + 1);
                }
                disk.cutPower();
                writer.kill();
            }
            disk.remount();
            // A new boot: nothing that the page of the old one says may be believed.
            FileStoreOptions newBoot = FileStoreOptions.defaults()
                    .withHost(new ProcessIdentity(UUID.randomUUID(), 1, 1, UUID.randomUUID()));
            long survivors = verify(data, newBoot, level);
            long lost = Math.max(0, acknowledged.get() - survivors);
            return new long[] {acknowledged.get(), lost};
        }
    }

    /** How many records are there: a prefix of what was written, without a hole, and the log can be used. */
    private static long verify(Path data, FileStoreOptions options, SyncLevel level) {
        AtomicLong next = new AtomicLong();
        try (FileStore store = FileStore.open(data, options)) {
            var topic = store.find(TOPIC);
            if (topic.isEmpty()) {
                throw new AssertionError("the topic was made durably and is gone");
            }
            PartitionLog log = store.log(topic.get().id(), 0);
            NumberedRecords.readAll(log, record -> {
                assertThat(record.offset()).isEqualTo(next.get());
                assertThat(record.number()).isEqualTo(next.getAndIncrement());
            });
            long offset = log.append(NumberedRecords.batch(0, next.get(), 100));
            log.awaitDurable(offset + 1);
            assertThat(offset).isEqualTo(next.get());
        }
        assertThat(DirectoryCheck.run(data, options, false, progress -> {}).clean())
                .as("check at " + level)
                .isTrue();
        return next.get();
    }

    /** Appends and says what was acknowledged. */
    static final class Writer {
        private Writer() {}

        public static void main(String[] args) {
            SyncLevel level = SyncLevel.parse(args[1]);
            FileStore store = FileStore.open(Path.of(args[0]), FileStoreOptions.defaults());
            var topic =
                    store.create(TOPIC, 1, TopicSettings.DEFAULT.withSync(level).withSegmentBytes(1 << 20));
            PartitionLog log = store.log(topic.id(), 0);
            Thread.setDefaultUncaughtExceptionHandler(
                    (thread, gone) -> System.err.println("the power went: " + gone.getMessage()));
            for (long number = 0; ; number++) {
                long offset = log.append(NumberedRecords.batch(0, number, 100 + (int) (number % 7) * 3000));
                log.awaitDurable(offset + 1);
                System.out.println(number);
            }
        }
    }
}
