package dev.muster.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.disk.Disk;
import dev.muster.disk.DiskFile;
import dev.muster.disk.local.NativeDisk;
import dev.muster.embedded.Codec;
import dev.muster.embedded.GroupConsumer;
import dev.muster.embedded.Muster;
import dev.muster.embedded.MusterOverStore;
import dev.muster.embedded.Producer;
import dev.muster.embedded.Reader;
import dev.muster.embedded.Received;
import dev.muster.store.file.FileStore;
import dev.muster.store.file.FileStoreOptions;
import dev.muster.testkit.disk.PacedMachine;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A writer is killed with SIGKILL after its write and before its fsync. A process that waits for records gets the
 * record, although the housekeeping of that process is paused and there is no other process.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class UnsyncedRecordsIT {
    private static final String TOPIC = "orders";
    private static final String GROUP = "workers";
    private static final String LAST = "the last record";
    private static final String FIRST = "the first record";
    private static final String WITHIN_A_SYNC = "within a sync";
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    @TempDir
    Path directory;

    /** The way in which the process waits for records. */
    enum Waiter {
        READER,
        MEMBER
    }

    @ParameterizedTest
    @EnumSource
    void aWaitingProcessGetsAKilledWritersRecordWithoutHousekeeping(Waiter kind) throws Exception {
        try (Muster muster = Muster.open(directory)) {
            muster.topics().create(TOPIC, 1);
            try (Producer<byte[], String> producer = muster.producer(TOPIC, Codec.BYTES, Codec.STRING)) {
                producer.send(FIRST).join();
            }
        }
        try (Child waiting = Child.start(Waiting.class, directory, kind);
                Child writer = Child.start(Writer.class, directory)) {
            // From here on the process waits.
            assertThat(waiting.readLine()).isEqualTo(FIRST);
            assertThat(writer.readLine()).isEqualTo("ready");
            writer.tell("write");
            assertThat(writer.readLine()).isEqualTo(WITHIN_A_SYNC);
            long killed = System.nanoTime();
            writer.kill();
            assertThat(waiting.readLine()).isEqualTo(LAST);
            System.out.printf(
                    "a waiting %s got the record of a killed writer %d ms after the kill began%n",
                    kind, TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - killed));
        }
    }

    /** Prints the value of each record that it gets. Its housekeeping is paused. */
    public static final class Waiting {
        private Waiting() {}

        public static void main(String[] args) {
            PacedMachine pace = new PacedMachine();
            Disk disk = Intercepted.on(
                    Disk.class,
                    NativeDisk.orFallback(),
                    (name, _, call) -> name.equals("machine") ? pace : call.make());
            FileStore store =
                    FileStore.open(Path.of(args[0]), FileStoreOptions.defaults().withDisk(disk));
            pace.awaitRest();
            try (Muster muster = MusterOverStore.open(store)) {
                if (Waiter.valueOf(args[1]) == Waiter.READER) {
                    read(muster);
                } else {
                    consume(muster);
                }
            }
        }

        private static void read(Muster muster) {
            try (Reader<byte[], String> reader = muster.reader(TOPIC, Codec.BYTES, Codec.STRING)) {
                printUntilLast(reader::poll);
            }
        }

        private static void consume(Muster muster) {
            try (GroupConsumer<byte[], String> member =
                    muster.consumer(GROUP, TOPIC).values(Codec.STRING).open()) {
                printUntilLast(member::poll);
            }
        }

        /** Ends after the last record, or after a timeout. */
        private static void printUntilLast(Function<Duration, List<Received<byte[], String>>> poll) {
            for (long end = System.nanoTime() + PATIENCE.toNanos(); System.nanoTime() < end; ) {
                for (Received<byte[], String> record : poll.apply(PATIENCE)) {
                    System.out.println(record.value());
                    if (record.value().equals(LAST)) {
                        return;
                    }
                }
            }
            System.out.println("no record in " + PATIENCE);
        }
    }

    /** Appends a record on command, prints a line before the sync, and waits there to be killed. */
    static final class Writer {
        private Writer() {}

        public static void main(String[] args) throws Exception {
            AtomicBoolean stuck = new AtomicBoolean();
            Disk disk = Intercepted.on(Disk.class, NativeDisk.orFallback(), (name, given, call) -> {
                boolean log = name.equals("open") && given[0].toString().endsWith(".log");
                return log ? withoutSync((DiskFile) call.make(), stuck) : call.make();
            });
            FileStore store =
                    FileStore.open(Path.of(args[0]), FileStoreOptions.defaults().withDisk(disk));
            try (Muster muster = MusterOverStore.open(store);
                    Producer<byte[], String> producer = muster.producer(TOPIC, Codec.BYTES, Codec.STRING)) {
                System.out.println("ready");
                int _ = System.in.read();
                producer.send(LAST).join();
            }
        }

        private static DiskFile withoutSync(DiskFile real, AtomicBoolean stuck) {
            return Intercepted.on(DiskFile.class, real, (name, _, call) -> {
                if (name.equals("sync")) {
                    if (stuck.compareAndSet(false, true)) {
                        System.out.println(WITHIN_A_SYNC);
                    }
                    new CountDownLatch(1).await();
                }
                return call.make();
            });
        }
    }
}
