package dev.muster.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.core.Topic;
import dev.muster.core.TopicName;
import dev.muster.core.TopicSettings;
import dev.muster.core.group.model.GroupName;
import dev.muster.store.DamagedLogException;
import dev.muster.store.LogReplacedException;
import dev.muster.store.LogStore;
import dev.muster.store.PartitionLog;
import dev.muster.store.UnsupportedStoreException;
import dev.muster.store.file.log.FilePartition;
import dev.muster.store.group.GroupDeletedException;
import dev.muster.store.group.GroupJournal;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files and folders that are removed or replaced while a store has them open. The upkeep of the store does not run. */
class ReplacedFilesTest {
    private static final TopicName ORDERS = new TopicName("orders");

    @TempDir
    Path directory;

    @Test
    void recordInARemovedSegmentIsNotAcknowledged() throws IOException {
        try (FileStore store = open("data")) {
            Topic topic = store.create(ORDERS, 1, TopicSettings.DEFAULT);
            PartitionLog log = store.log(topic.id(), 0);
            write(log, "a");
            // Appended before the deletion, because an append after it may be refused at once.
            long lost = log.append(Batches.of("b"));
            Files.delete(segment("data"));
            assertThatThrownBy(() -> log.awaitDurable(lost + 1))
                    .isInstanceOf(LogReplacedException.class)
                    .hasMessageContaining("00000000000000000000.log was removed");
            assertThatThrownBy(() -> log.append(Batches.of("c"))).isInstanceOf(LogReplacedException.class);

            PartitionLog now = store.log(topic.id(), 0);
            long kept = write(now, "d");
            assertThat(kept).as("no offset comes again").isGreaterThan(lost);
            assertThat(Batches.read(now, kept)).containsExactly("d");
            assertThatThrownBy(() -> Batches.read(now, 0)).isInstanceOf(DamagedLogException.class);
        }
        try (FileStore store = open("data")) {
            PartitionLog log = store.log(store.find(ORDERS).orElseThrow().id(), 0);
            assertThat(Batches.read(log, log.endOffset() - 1)).containsExactly("d");
        }
    }

    /** One process wrote to the removed file. Another one continued in the new file and makes the end durable. */
    @Test
    void syncOfAnotherProcessDoesNotAcknowledgeRecordInARemovedSegment() throws IOException {
        try (FileStore first = open("data");
                FileStore second = open("data")) {
            Topic topic = first.create(ORDERS, 1, TopicSettings.DEFAULT);
            PartitionLog log = first.log(topic.id(), 0);
            PartitionLog beside = second.log(topic.id(), 0);
            write(log, "a");
            write(beside, "b");
            long lost = log.append(Batches.of("c"));
            Files.delete(segment("data"));
            assertThatThrownBy(() -> write(beside, "d")).isInstanceOf(LogReplacedException.class);
            long kept = write(second.log(topic.id(), 0), "e");
            assertThat(kept).isGreaterThan(lost);
            assertThatThrownBy(() -> log.awaitDurable(lost + 1)).isInstanceOf(LogReplacedException.class);
            assertThat(Batches.read(first.log(topic.id(), 0), kept)).containsExactly("e");
        }
    }

    @Test
    void recordInARemovedDirectoryIsRefusedWithTheReason() throws IOException {
        try (FileStore store = open("data")) {
            Topic topic = store.create(ORDERS, 1, TopicSettings.DEFAULT);
            PartitionLog log = store.log(topic.id(), 0);
            write(log, "a");
            Files.move(directory.resolve("data"), directory.resolve("elsewhere"));
            assertThatThrownBy(() -> write(log, "b")).isInstanceOf(LogReplacedException.class);
            assertThatThrownBy(() -> store.log(topic.id(), 0))
                    .isInstanceOf(LogReplacedException.class)
                    .hasMessageContaining("muster.json was removed");
        }
    }

    @Test
    void writerContinuesInARestoredCopyOfItsDirectory() throws IOException {
        try (FileStore store = open("data")) {
            Topic topic = store.create(ORDERS, 1, TopicSettings.DEFAULT);
            PartitionLog log = store.log(topic.id(), 0);
            write(log, "a");
            copy("data", "backup");
            write(log, "b");
            Files.move(directory.resolve("data"), directory.resolve("elsewhere"));
            Files.move(directory.resolve("backup"), directory.resolve("data"));
            assertThatThrownBy(() -> write(log, "c")).isInstanceOf(LogReplacedException.class);
            PartitionLog now = store.log(topic.id(), 0);
            assertThat(now).isNotSameAs(log);
            write(now, "d");
            assertThat(Batches.read(now, 0)).containsExactly("a", "d");
            assertThatThrownBy(() -> log.awaitDurable(1)).isInstanceOf(LogReplacedException.class);
        }
        try (FileStore store = open("data")) {
            PartitionLog log = store.log(store.find(ORDERS).orElseThrow().id(), 0);
            assertThat(Batches.read(log, 0)).containsExactly("a", "d");
        }
    }

    @Test
    void anotherStoreInPlaceOfTheDirectoryIsRefused() throws IOException {
        try (FileStore store = open("data");
                FileStore other = open("other")) {
            Topic topic = store.create(ORDERS, 1, TopicSettings.DEFAULT);
            other.create(ORDERS, 1, TopicSettings.DEFAULT);
            PartitionLog log = store.log(topic.id(), 0);
            write(log, "a");
            Files.move(directory.resolve("data"), directory.resolve("elsewhere"));
            Files.move(directory.resolve("other"), directory.resolve("data"));
            assertThatThrownBy(() -> write(log, "b")).isInstanceOf(LogReplacedException.class);
            assertThatThrownBy(() -> store.log(topic.id(), 0))
                    .isInstanceOf(LogReplacedException.class)
                    .hasMessageContaining("another data directory");
        }
    }

    /**
     * The segment that this process wrote to is closed in the copy, and the records before its end were trimmed here.
     */
    @Test
    void laterSegmentsOfARestoredCopyDoNotProveATrim() throws IOException {
        try (FileStore store = open("data")) {
            Topic topic = store.create(ORDERS, 1, TopicSettings.DEFAULT);
            PartitionLog log = store.log(topic.id(), 0);
            write(log, "a");
            copy("data", "backup");
            try (FileStore other = open("backup")) {
                PartitionLog copy = other.log(topic.id(), 0);
                ((FilePartition) copy).roll();
                write(copy, "of the copy");
            }
            write(log, "b");
            log.trim(2);
            replace("data", "backup");
            assertThatThrownBy(() -> write(log, "c")).isInstanceOf(LogReplacedException.class);
        }
    }

    @Test
    void roleIsKeptInARestoredCopy() throws IOException {
        try (FileStore store = open("data")) {
            Topic topic = store.create(ORDERS, 1, TopicSettings.DEFAULT);
            PartitionLog log = store.log(topic.id(), 0);
            write(log, "a");
            LogStore.Claim claim = store.claim("kafka-server").orElseThrow();
            copy("data", "backup");
            replace("data", "backup");
            assertThatThrownBy(() -> write(log, "b")).isInstanceOf(LogReplacedException.class);
            write(store.log(topic.id(), 0), "c");
            try (FileStore beside = open("data")) {
                assertThat(beside.claim("kafka-server")).isEmpty();
                claim.close();
                beside.claim("kafka-server").orElseThrow().close();
            }
        }
    }

    @Test
    void storeThatLostItsRoleInTheRestoredCopyRefusesEverything() throws IOException {
        try (FileStore store = open("data")) {
            Topic topic = store.create(ORDERS, 1, TopicSettings.DEFAULT);
            PartitionLog log = store.log(topic.id(), 0);
            write(log, "a");
            assertThat(store.claim("kafka-server")).isPresent();
            copy("data", "backup");
            try (FileStore beside = open("backup")) {
                assertThat(beside.claim("kafka-server")).isPresent();
                replace("data", "backup");
                assertThatThrownBy(() -> write(log, "b"))
                        .isInstanceOfAny(LogReplacedException.class, UnsupportedStoreException.class);
                assertThatThrownBy(() -> store.log(topic.id(), 0))
                        .isInstanceOf(UnsupportedStoreException.class)
                        .hasMessageContaining("another process has taken");
            }
        }
    }

    @Test
    void deletedTopicExistsAgainInARestoredCopy() throws IOException {
        try (FileStore store = open("data")) {
            Topic topic = store.create(ORDERS, 1, TopicSettings.DEFAULT);
            Topic other = store.create(new TopicName("other"), 1, TopicSettings.DEFAULT);
            PartitionLog beside = store.log(other.id(), 0);
            write(beside, "a");
            write(store.log(topic.id(), 0), "b");
            copy("data", "backup");
            store.delete(ORDERS);
            assertThat(store.isDeleted(topic.id())).isTrue();
            replace("data", "backup");
            assertThatThrownBy(() -> write(beside, "c")).isInstanceOf(LogReplacedException.class);
            write(store.log(other.id(), 0), "d");
            assertThat(store.find(ORDERS)).contains(topic);
            assertThat(Batches.read(store.log(topic.id(), 0), 0)).containsExactly("b");
            store.delete(ORDERS);
        }
        try (FileStore store = open("data")) {
            assertThat(store.find(ORDERS)).isEmpty();
            assertThat(store.list()).hasSize(1);
        }
    }

    /** Members that continued with the state of the old files would share partitions with members of the new ones. */
    @Test
    void groupWithReplacedFilesMustBeJoinedAgain() throws IOException {
        GroupName workers = new GroupName("workers");
        try (FileStore store = open("data")) {
            GroupJournal journal = store.groups().open(workers);
            assertThat(journal.append(0, "\"kept\"")).isTrue();
            journal.awaitDurable(1);
            copy("data", "backup");
            assertThat(journal.append(1, "\"lost\"")).isTrue();
            replace("data", "backup");
            assertThatThrownBy(() -> journal.awaitDurable(2))
                    .isInstanceOf(GroupDeletedException.class)
                    .hasMessageContaining("removed or replaced");
            assertThatThrownBy(journal::endVersion).isInstanceOf(GroupDeletedException.class);
            store.groups().delete(journal);
            assertThat(store.groups().open(workers).read(0))
                    .extracting(GroupJournal.Line::text)
                    .containsExactly("\"kept\"");
        }
    }

    private void replace(String name, String by) throws IOException {
        Files.move(directory.resolve(name), directory.resolve("elsewhere"));
        Files.move(directory.resolve(by), directory.resolve(name));
    }

    private static long write(PartitionLog log, String value) {
        long offset = log.append(Batches.of(value));
        log.awaitDurable(offset + 1);
        return offset;
    }

    private FileStore open(String name) {
        return FileStore.open(
                directory.resolve(name), FileStoreOptions.defaults().withDisk(DiskWithoutUpkeep.make()));
    }

    private Path segment(String name) throws IOException {
        try (Stream<Path> all = Files.walk(directory.resolve(name).resolve("logs"))) {
            return all.filter(file -> file.toString().endsWith(".log"))
                    .min(Comparator.naturalOrder())
                    .orElseThrow();
        }
    }

    /** True for the files of processes, which include pipes. */
    private static boolean isOfAProcess(Path file) {
        return file.startsWith(".coordinator") && file.getNameCount() > 1;
    }

    /** Copies as {@code cp -a} does, without the files of processes. */
    private void copy(String from, String to) throws IOException {
        Path source = directory.resolve(from);
        List<Path> files;
        try (Stream<Path> all = Files.walk(source)) {
            files = all.filter(file -> !isOfAProcess(source.relativize(file))).toList();
        }
        for (Path file : files) {
            Path target = directory.resolve(to).resolve(source.relativize(file).toString());
            Files.copy(file, target, StandardCopyOption.COPY_ATTRIBUTES);
        }
    }

    /** A page and the end of its log are damaged, so a process that read the last line knows more than the log has. */
    @Test
    void processThatKnowsCutOffLinesMustReadTheJournalAgain() throws IOException {
        GroupName workers = new GroupName("workers");
        try (FileStore reading = open("data")) {
            GroupJournal known;
            long whole;
            try (FileStore writing = open("data")) {
                GroupJournal journal = writing.groups().open(workers);
                assertThat(journal.append(0, "\"kept\"")).isTrue();
                journal.awaitDurable(1);
                whole = Files.size(find("data", ".log"));
                assertThat(journal.append(1, "\"cut off\"")).isTrue();
                journal.awaitDurable(2);
                known = reading.groups().open(workers);
                assertThat(known.endVersion()).isEqualTo(2);
            }
            Path page = find("data", "control-");
            try (FileChannel log = FileChannel.open(find("data", ".log"), StandardOpenOption.WRITE);
                    FileChannel pageFile = FileChannel.open(page, StandardOpenOption.WRITE)) {
                log.truncate(whole);
                pageFile.write(ByteBuffer.allocate(64), 0);
            }
            Files.delete(page);
            try (FileStore recovering = open("data")) {
                assertThat(recovering.groups().open(workers).endVersion()).isEqualTo(1);
            }
            // The sync checks the page.
            known.awaitDurable(2);
            assertThatThrownBy(() -> known.append(2, "\"decided on the line that is gone\""))
                    .isInstanceOf(GroupDeletedException.class)
                    .hasMessageContaining("was cut off");
            GroupJournal now = reading.groups().open(workers);
            assertThat(now).isNotSameAs(known);
            assertThat(now.endVersion()).isEqualTo(1);
            assertThatThrownBy(() -> now.append(2, "\"a mistake of the caller\""))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThat(now.append(1, "\"anew\"")).isTrue();
        }
    }

    /** The newest file of a group's journal with such a name. */
    private Path find(String data, String name) throws IOException {
        try (Stream<Path> all = Files.walk(directory.resolve(data).resolve("consumer-groups"))) {
            return all.filter(file -> file.getParent().getFileName().toString().startsWith("journal-")
                            && file.getFileName().toString().contains(name))
                    .max(Comparator.naturalOrder())
                    .orElseThrow();
        }
    }
}
