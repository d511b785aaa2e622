package dev.muster.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.core.TopicName;
import dev.muster.core.TopicSettings;
import dev.muster.store.DamagedLogException;
import dev.muster.store.LogReplacedException;
import dev.muster.store.PartitionLog;
import dev.muster.store.Topic;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files and folders that are removed or replaced while a store has them open. */
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
            // Before the deletion: housekeeping may find that first, and then the append itself is refused.
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

    /** One process wrote to the removed file; another one has gone on and makes the end durable. */
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
    void writerGoesOnInARestoredCopyOfItsDirectory() throws IOException {
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

    private static long write(PartitionLog log, String value) {
        long offset = log.append(Batches.of(value));
        log.awaitDurable(offset + 1);
        return offset;
    }

    private FileStore open(String name) {
        return FileStore.open(directory.resolve(name), FileStoreOptions.defaults());
    }

    private Path segment(String name) throws IOException {
        try (Stream<Path> all = Files.walk(directory.resolve(name).resolve("logs"))) {
            return all.filter(file -> file.toString().endsWith(".log"))
                    .min(Comparator.naturalOrder())
                    .orElseThrow();
        }
    }

    /** Pipes, and files that the housekeeping of the store makes and deletes. */
    private static boolean isOfAProcess(Path file) {
        return file.startsWith(".coordinator") && file.getNameCount() > 1;
    }

    /** As {@code cp -a} does it, but for the files of processes. */
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
}
