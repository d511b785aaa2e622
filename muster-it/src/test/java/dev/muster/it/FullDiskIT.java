package dev.muster.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.core.SyncLevel;
import dev.muster.core.TopicName;
import dev.muster.core.TopicSettings;
import dev.muster.disk.Disk;
import dev.muster.disk.NoRoomException;
import dev.muster.disk.local.ChannelDisk;
import dev.muster.disk.local.NativeDisk;
import dev.muster.store.DiskFullException;
import dev.muster.store.PartitionLog;
import dev.muster.store.file.FileStore;
import dev.muster.store.file.FileStoreOptions;
import dev.muster.store.file.check.DirectoryCheck;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A full disk: a clear error, no loss, and appends continue when space is freed. */
class FullDiskIT {
    private static final TopicName TOPIC = new TopicName("t");

    @TempDir
    Path directory;

    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void afterAFullDiskNothingIsLostAndAppendsContinue() throws Exception {
        try (Mount small = Mount.tmpfs(directory, 24)) {
            Path ballast = Files.write(small.folder().resolve("ballast"), new byte[8 << 20]);
            try (FileStore store = FileStore.open(small.folder().resolve("data"), FileStoreOptions.defaults())) {
                PartitionLog log = store.log(
                        store.create(
                                        TOPIC,
                                        1,
                                        TopicSettings.DEFAULT
                                                .withSync(SyncLevel.COMMIT)
                                                .withSegmentBytes(4 << 20))
                                .id(),
                        0);
                AtomicLong acknowledged = new AtomicLong();
                assertThatThrownBy(() -> append(log, acknowledged, Long.MAX_VALUE))
                        .isInstanceOf(DiskFullException.class)
                        .hasMessageContaining("no room");
                long whenFull = acknowledged.get();
                assertThat(whenFull).isPositive();
                // Repeats appends while the disk is full: no attempt may leave a file behind.
                for (int i = 0; i < 20; i++) {
                    assertThatThrownBy(() -> append(log, acknowledged, Long.MAX_VALUE))
                            .isInstanceOf(DiskFullException.class);
                }
                assertRecords(log, acknowledged.get());
                Files.delete(ballast);
                appendOnceThereIsRoom(log, acknowledged, acknowledged.get() + 50);
                assertRecords(log, acknowledged.get());
                System.out.printf(
                        "disk full after %d records; %d after there was room again%n", whenFull, acknowledged.get());
            }
            assertThat(DirectoryCheck.run(small.folder().resolve("data"), false, progress -> {})
                            .clean())
                    .isTrue();
        }
    }

    /** On ext4 a folder takes a block, and so does every few names in a folder; on tmpfs they take none. */
    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void aFolderWithoutRoomIsReportedAsAFullDisk() throws Exception {
        try (Mount small = Mount.ext4(directory, 16)) {
            Path folder = Files.createDirectory(small.folder().resolve("names"));
            Path file = Files.createFile(small.folder().resolve("file"));
            fill(small.folder().resolve("ballast"));
            for (Disk disk : List.of(NativeDisk.orFallback(), new ChannelDisk())) {
                String disks = disk.getClass().getSimpleName();
                assertNoRoom(i -> disk.createFolders(small.folder().resolve(disks + i)));
                assertNoRoom(i -> disk.link(file, folder.resolve(name(disks, i))));
                Path moving = small.folder().resolve(disks);
                assertNoRoom(i -> {
                    Files.createLink(moving, file);
                    disk.rename(moving, folder.resolve(name("moved" + disks, i)));
                });
                Files.delete(moving);
            }
        }
    }

    private interface NumberedStep {
        void run(int number) throws IOException;
    }

    private static void assertNoRoom(NumberedStep step) {
        assertThatThrownBy(() -> {
                    for (int i = 0; i < 1_000; i++) {
                        step.run(i);
                    }
                })
                .isInstanceOf(NoRoomException.class);
    }

    /** A long name: a block has room for few of them. */
    private static String name(String prefix, int number) {
        return prefix + number + "x".repeat(200);
    }

    private static void fill(Path ballast) throws IOException {
        byte[] block = new byte[1024];
        try (OutputStream out = Files.newOutputStream(ballast)) {
            while (true) {
                out.write(block);
            }
        } catch (IOException e) {
            assertThat(e).hasMessageContaining("No space left");
        }
    }

    private static void append(PartitionLog log, AtomicLong acknowledged, long until) {
        while (acknowledged.get() < until) {
            long offset = log.append(NumberedRecords.batch(0, acknowledged.get(), 40_000));
            log.awaitDurable(offset + 1);
            acknowledged.incrementAndGet();
        }
    }

    /** Appends once there is room. A store checks a full disk only now and then, so that a refusal is cheap. */
    private static void appendOnceThereIsRoom(PartitionLog log, AtomicLong acknowledged, long until) {
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(3);
        while (acknowledged.get() < until) {
            try {
                append(log, acknowledged, until);
            } catch (DiskFullException e) {
                if (System.nanoTime() - deadline >= 0) {
                    throw e;
                }
                Rounds.letTimePass(10);
            }
        }
    }

    private static void assertRecords(PartitionLog log, long count) {
        AtomicLong next = new AtomicLong();
        NumberedRecords.readAll(log, record -> assertThat(record.number()).isEqualTo(next.getAndIncrement()));
        assertThat(next.get()).isEqualTo(count);
    }
}
