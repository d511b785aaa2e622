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
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The power of a real ext4 is cut under a writer, in two ways. CONTRIBUTING.md describes the proof of each way. The
 * control of both is {@link PlainWriter}, a program of only {@code write} and {@code fdatasync}.
 */
class PowerLossIT {
    private static final TopicName TOPIC = new TopicName("t");
    private static final int MORE_ROUNDS_MAX = 10;
    private static final int MEBIBYTES = 64;

    @TempDir
    Path directory;

    /** A program whose records are counted after the cut. */
    private enum Subject {
        MUSTER_COMMIT("Muster at sync=commit"),
        MUSTER_OS("Muster at sync=os"),
        PLAIN("plain write and fdatasync");

        private final String text;

        Subject(String text) {
            this.text = text;
        }

        Child start(Path data) throws IOException {
            return switch (this) {
                case MUSTER_COMMIT -> Child.start(Writer.class, data, SyncLevel.COMMIT);
                case MUSTER_OS -> Child.start(Writer.class, data, SyncLevel.OS);
                case PLAIN -> Child.start(PlainWriter.class, data);
            };
        }

        long survivors(Path data) throws IOException {
            return this == PLAIN ? PlainWriter.count(data) : verify(data, this);
        }
    }

    /**
     * @param before number of acknowledgements that the test read before the power cut
     * @param said number of all acknowledgements, including those during the power cut
     * @param survivors number of records afterwards
     */
    private record Outcome(long before, long said, long survivors) {
        long lostOfBefore() {
            return Math.max(0, before - survivors);
        }

        long lostOfSaid() {
            return Math.max(0, said - survivors);
        }
    }

    /** The losses of a number of power cuts. */
    private static final class Losses {
        private int cuts;
        private int cutsWithLoss;
        private long acknowledged;
        private long lostBefore;
        private long lost;
        private long mostInOneCut;

        void add(Outcome outcome) {
            cuts++;
            cutsWithLoss += outcome.lostOfSaid() > 0 ? 1 : 0;
            acknowledged += outcome.said();
            lostBefore += outcome.lostOfBefore();
            lost += outcome.lostOfSaid();
            mostInOneCut = Math.max(mostInOneCut, outcome.lostOfSaid());
        }

        void print(String how, Subject subject) {
            System.out.printf(
                    "%s, %s: %d cuts, %d records acknowledged; %d cuts lost an acknowledged record (at most %d),"
                            + " %d of these were acknowledged before the cut began%n",
                    how, subject.text, cuts, acknowledged, cutsWithLoss, mostInOneCut, lostBefore);
        }
    }

    /**
     * The ioctl shuts the file system down while the writer works. A sync that is in progress then may return success
     * although its transaction was dropped: the control loses its last record too. So the last one is not judged.
     */
    @Test
    @Timeout(value = 20, unit = TimeUnit.MINUTES)
    void syncedRecordsSurviveAPowerCut() throws Exception {
        int rounds = Rounds.count(2);
        Random random = Rounds.random("PowerLossIT");
        Map<Subject, Losses> losses = new EnumMap<>(Subject.class);
        for (int round = 0; round < rounds; round++) {
            for (Subject subject : Subject.values()) {
                Outcome outcome = shutDown(folder(subject + "-" + round), subject, random);
                losses.computeIfAbsent(subject, _ -> new Losses()).add(outcome);
            }
        }
        losses.forEach((subject, lost) -> lost.print("shutdown ioctl", subject));
        assertThat(losses.get(Subject.MUSTER_COMMIT).mostInOneCut)
                .as("records lost in one cut at sync=commit; the last one may be the ioctl's")
                .isLessThanOrEqualTo(1);
        // On a slow machine the system may have written all records by itself, but not every time.
        Losses os = losses.get(Subject.MUSTER_OS);
        for (int more = 0; os.lost == 0 && more < MORE_ROUNDS_MAX; more++) {
            os.add(shutDown(folder("more-" + more), Subject.MUSTER_OS, random));
        }
        assertThat(os.lost).as("lost at sync=os (none: the test is blind)").isPositive();
    }

    /**
     * The writer is stopped, and what is on its disk at that moment is copied. No sync is in progress that could return
     * a wrong success: all acknowledged records must be in the copy.
     */
    @Test
    @Timeout(value = 20, unit = TimeUnit.MINUTES)
    void theDiskOfASuspendedWriterHasAllAcknowledgedRecords() throws Exception {
        int rounds = Rounds.count(2);
        Random random = Rounds.random("PowerLossIT");
        for (Subject subject : new Subject[] {Subject.MUSTER_COMMIT, Subject.PLAIN}) {
            Losses losses = new Losses();
            for (int round = 0; round < rounds; round++) {
                losses.add(copyDisk(folder("copy-" + subject + "-" + round), subject, random));
            }
            losses.print("copy of the disk of a stopped writer", subject);
            assertThat(losses.lost).as("lost by " + subject.text).isZero();
        }
        Losses os = new Losses();
        for (int round = 0; os.lost == 0 && round < MORE_ROUNDS_MAX; round++) {
            os.add(copyDisk(folder("copy-os-" + round), Subject.MUSTER_OS, random));
        }
        os.print("copy of the disk of a stopped writer", Subject.MUSTER_OS);
        assertThat(os.lost).as("lost at sync=os (none: the test is blind)").isPositive();
    }

    private Path folder(String name) throws IOException {
        return Files.createDirectories(directory.resolve(name));
    }

    private static Outcome shutDown(Path parent, Subject subject, Random random) throws Exception {
        try (Mount disk = Mount.ext4(parent, MEBIBYTES)) {
            Path data = disk.folder().resolve("data");
            long before;
            long said;
            try (Child writer = subject.start(data)) {
                before = hear(writer, random);
                disk.cutPower();
                writer.kill();
                said = rest(writer, before);
            }
            disk.remount();
            return new Outcome(before, said, subject.survivors(data));
        }
    }

    private static Outcome copyDisk(Path parent, Subject subject, Random random) throws Exception {
        try (Mount disk = Mount.ext4(parent, MEBIBYTES);
                Child writer = subject.start(disk.folder().resolve("data"))) {
            long before = hear(writer, random);
            writer.stop();
            try (Mount copy = disk.copyOfDisk(parent)) {
                writer.kill();
                long said = rest(writer, before);
                return new Outcome(before, said, subject.survivors(copy.folder().resolve("data")));
            }
        }
    }

    /** Waits for some acknowledgements. */
    private static long hear(Child writer, Random random) throws IOException {
        long heard = 0;
        for (int wanted = 50 + random.nextInt(400); wanted > 0; wanted--) {
            heard = Long.parseLong(writer.readLine()) + 1;
        }
        return heard;
    }

    /** The unread output of the writer. Its last line may be incomplete. */
    private static long rest(Child writer, long heard) {
        long said = heard;
        for (String line : writer.readLines()) {
            if (line.equals(Long.toString(said))) {
                said++;
            }
        }
        return said;
    }

    /** The number of records. Checks that they are a prefix of the written ones, and that the log can be used. */
    private static long verify(Path data, Subject subject) {
        // A new boot: the page of the old one must not be used.
        FileStoreOptions options =
                FileStoreOptions.defaults().withHost(new ProcessIdentity(UUID.randomUUID(), 1, 1, UUID.randomUUID()));
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
                .as("check of " + subject.text)
                .isTrue();
        return next.get();
    }

    /** Appends and prints the acknowledged records. */
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
