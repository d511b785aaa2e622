package dev.muster.store.file;

import static dev.muster.testkit.ContractRecords.awaitEndAbove;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.core.Topic;
import dev.muster.core.TopicId;
import dev.muster.core.TopicName;
import dev.muster.core.TopicSettings;
import dev.muster.disk.local.FileSystemProbe;
import dev.muster.store.PartitionLog;
import dev.muster.store.ReadOnlyException;
import dev.muster.store.StoreNotFoundException;
import dev.muster.store.UnsupportedStoreException;
import dev.muster.store.file.host.ProcessIdentity;
import dev.muster.store.file.log.DiskErrors;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The directories that a process may open, and those that are refused. */
class OpeningTest {
    private static final TopicName ORDERS = new TopicName("orders");

    @TempDir
    Path parent;

    @Test
    void deniedFileIsNamedOnceInTheError() {
        assertThat(DiskErrors.of("open /data", new AccessDeniedException("/data")))
                .hasMessage("cannot open /data: permission denied");
        assertThat(DiskErrors.of("open topic orders", new AccessDeniedException("/data/logs")))
                .hasMessage("cannot open topic orders: permission denied: /data/logs");
        assertThat(DiskErrors.of("open /data", new AccessDeniedException("/data", null, "read-only")))
                .hasMessage("cannot open /data: the directory is read-only");
    }

    @Test
    @Timeout(value = 5, unit = TimeUnit.MINUTES)
    void aDirectoryThatAnotherMachineUsesIsRefused() {
        Path data = parent.resolve("data");
        ProcessIdentity elsewhere = new ProcessIdentity(UUID.randomUUID(), 1, 1, UUID.randomUUID());
        try (FileStore other = FileStore.open(data, FileStoreOptions.defaults().withHost(elsewhere))) {
            FileStoreOptions options = FileStoreOptions.defaults().withClock(new BeatingClock(other));
            assertThatThrownBy(() -> FileStore.open(data, options))
                    .isInstanceOf(UnsupportedStoreException.class)
                    .hasMessageContaining("another machine");
            assertThat(other.list()).isEmpty();
        }
    }

    /** Whenever the age of a heartbeat is read, the other store gives its next one, however busy the machine is. */
    private static final class BeatingClock extends Clock {
        private final FileStore other;

        BeatingClock(FileStore other) {
            this.other = other;
        }

        @Override
        public Instant instant() {
            other.groups().hosts().renew();
            return Instant.now();
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }
    }

    @Test
    @Timeout(value = 5, unit = TimeUnit.MINUTES)
    void filesOfAnEarlierBootDoNotPreventOpening() throws IOException {
        Path data = parent.resolve("data");
        FileStore.open(data, FileStoreOptions.defaults()).close();
        // A host that was killed with its machine: its heartbeat does not change any more.
        Path beat = data.resolve(
                ".coordinator/hosts/" + new ProcessIdentity(UUID.randomUUID(), 1, 1, UUID.randomUUID()) + ".beat");
        Files.write(beat, new byte[4096]);
        FileStore.open(data, FileStoreOptions.defaults()).close();
    }

    @Test
    void aNetworkOrUnknownFileSystemIsNamedAndRefused() {
        Path proc = Path.of("/proc");
        org.junit.jupiter.api.Assumptions.assumeTrue(Files.isDirectory(proc));
        assertThat(FileSystemProbe.objection(proc))
                .hasValueSatisfying(text -> assertThat(text).contains("proc"));
        assertThatThrownBy(() -> FileStore.open(proc, FileStoreOptions.defaults()))
                .isInstanceOf(UnsupportedStoreException.class);
        assertThat(FileSystemProbe.objection(parent)).isEmpty();
    }

    @Test
    void folderWithForeignFilesIsRefused() throws IOException {
        Files.writeString(parent.resolve("diary.txt"), "dear diary");
        assertThatThrownBy(() -> FileStore.open(parent, FileStoreOptions.defaults()))
                .isInstanceOf(UnsupportedStoreException.class)
                .hasMessageContaining("not a Muster data directory");
        assertThat(parent.toFile().list()).containsExactly("diary.txt");
    }

    @Test
    void newerFormatIsRefusedAndNotChanged() throws IOException {
        Path json = Files.writeString(
                parent.resolve("muster.json"),
                "{\"format\":99,\"clusterId\":\"" + UUID.randomUUID()
                        + "\",\"requiredToRead\":[],\"requiredToWrite\":[]}");
        String before = Files.readString(json);
        assertThatThrownBy(() -> FileStore.open(parent, FileStoreOptions.defaults()))
                .isInstanceOf(UnsupportedStoreException.class)
                .hasMessageContaining("format 99");
        assertThat(parent.toFile().list()).containsExactly("muster.json");
        assertThat(Files.readString(json)).isEqualTo(before);
    }

    @Test
    void unknownFeatureIsNamedInTheRefusal() throws IOException {
        String start = "{\"format\":1,\"clusterId\":\"" + UUID.randomUUID() + "\",";
        Path json = parent.resolve("muster.json");
        Files.writeString(json, start + "\"requiredToRead\":[\"x\"],\"requiredToWrite\":[]}");
        assertThatThrownBy(() -> FileStore.open(parent, FileStoreOptions.defaults()))
                .isInstanceOf(UnsupportedStoreException.class)
                .hasMessageEndingWith("requires features for reading that this version of Muster does not have: [x]");
        Files.writeString(json, start + "\"requiredToRead\":[],\"requiredToWrite\":[\"y\"]}");
        assertThatThrownBy(() -> FileStore.open(parent, FileStoreOptions.defaults()))
                .isInstanceOf(UnsupportedStoreException.class)
                .hasMessageEndingWith("requires features for writing that this version of Muster does not have: [y]");
    }

    @Test
    void withoutCreateMissingNoDirectoryIsCreated() throws IOException {
        FileStoreOptions options = FileStoreOptions.defaults().withCreateMissing(false);
        assertThatThrownBy(() -> FileStore.open(parent.resolve("missing"), options))
                .isInstanceOf(StoreNotFoundException.class);
        Path empty = Files.createDirectory(parent.resolve("empty"));
        assertThatThrownBy(() -> FileStore.open(empty, options)).isInstanceOf(StoreNotFoundException.class);
        assertThat(empty.toFile().list()).isEmpty();
    }

    @Test
    void readOnlyStoreReadsAndChangesNothing() throws IOException {
        Path data = parent.resolve("data");
        try (FileStore store = FileStore.open(data, FileStoreOptions.defaults())) {
            PartitionLog log =
                    store.log(store.create(ORDERS, 1, TopicSettings.DEFAULT).id(), 0);
            log.awaitDurable(log.append(Batches.of("a", "b")) + 2);
        }
        var before = snapshot(data);
        try (FileStore store = FileStore.open(data, FileStoreOptions.defaults().withReadOnly(true))) {
            Topic topic = store.find(ORDERS).orElseThrow();
            PartitionLog log = store.log(topic.id(), 0);
            assertThat(Batches.read(log, 0)).containsExactly("a", "b");
            assertThatThrownBy(() -> log.append(Batches.of("c"))).isInstanceOf(ReadOnlyException.class);
            assertThatThrownBy(() -> log.trim(1)).isInstanceOf(ReadOnlyException.class);
            assertThatThrownBy(() -> store.delete(ORDERS)).isInstanceOf(ReadOnlyException.class);
            assertThatThrownBy(store::newProducerId).isInstanceOf(ReadOnlyException.class);
        }
        assertThat(snapshot(data)).isEqualTo(before);
    }

    @Test
    @Timeout(value = 5, unit = TimeUnit.MINUTES)
    void readOnlyStoreSeesAppendsOfALaterWriter() throws IOException {
        Path data = parent.resolve("data");
        TopicId id;
        try (FileStore store = FileStore.open(data, FileStoreOptions.defaults())) {
            id = store.create(ORDERS, 1, TopicSettings.DEFAULT).id();
        }
        try (FileStore reading =
                FileStore.open(data, FileStoreOptions.defaults().withReadOnly(true))) {
            PartitionLog read = reading.log(id, 0);
            assertThat(read.endOffset()).isZero();
            try (FileStore store = FileStore.open(data, FileStoreOptions.defaults())) {
                PartitionLog log = store.log(id, 0);
                log.awaitDurable(log.append(Batches.of("a")) + 1);
                assertThat(awaitEndAbove(read, 0, Duration.ofMinutes(2))).isTrue();
                assertThat(Batches.read(read, 0)).containsExactly("a");
            }
        }
    }

    @Test
    void filesFollowTheModeOfTheDirectory() throws IOException {
        Path data = Files.createDirectory(parent.resolve("data"));
        Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwxrwx---"));
        try (FileStore store = FileStore.open(data, FileStoreOptions.defaults())) {
            PartitionLog log =
                    store.log(store.create(ORDERS, 1, TopicSettings.DEFAULT).id(), 0);
            log.awaitDurable(log.append(Batches.of("a")) + 1);
            Files.walkFileTree(data, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes)
                        throws IOException {
                    return visitFile(folder, attributes);
                }

                @Override
                public FileVisitResult visitFile(Path path, BasicFileAttributes attributes) throws IOException {
                    try {
                        String mode = PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
                        assertThat(mode).as(path.toString()).isIn(Set.of("rwxrwx---", "rw-rw----"));
                    } catch (NoSuchFileException e) {
                        return FileVisitResult.CONTINUE; // a draft of the housekeeping
                    }
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFileFailed(Path path, IOException e) {
                    return FileVisitResult.CONTINUE;
                }
            });
        }
    }

    private static Map<String, Long> snapshot(Path data) throws IOException {
        Map<String, Long> files = new TreeMap<>();
        try (Stream<Path> all = Files.walk(data)) {
            for (Path path : all.filter(Files::isRegularFile).toList()) {
                files.put(
                        data.relativize(path).toString(),
                        Files.getLastModifiedTime(path).toMillis());
            }
        }
        return files;
    }
}
