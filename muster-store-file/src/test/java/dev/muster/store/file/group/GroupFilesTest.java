package dev.muster.store.file.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.muster.core.group.model.GroupName;
import dev.muster.disk.BootId;
import dev.muster.store.ReadOnlyException;
import dev.muster.store.file.FileStore;
import dev.muster.store.file.FileStoreOptions;
import dev.muster.store.file.layout.Layout;
import dev.muster.store.group.GroupDeletedException;
import dev.muster.store.group.GroupJournal;
import dev.muster.store.group.GroupJournal.View;
import dev.muster.store.runtime.StoreRuntime;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The files for people in a group's folder. */
class GroupFilesTest {
    private static final GroupName WORKERS = new GroupName("workers");

    @TempDir
    Path parent;

    private Path data() {
        return parent.resolve("data");
    }

    private Path folder() {
        return data().resolve("consumer-groups").resolve("workers");
    }

    private FileStore open() {
        return FileStore.open(data(), FileStoreOptions.defaults());
    }

    @Test
    void viewsAreReplacedWhole() throws IOException {
        try (FileStore store = open()) {
            GroupJournal journal = store.groups().open(WORKERS);
            journal.views()
                    .orElseThrow()
                    .publish(List.of(
                            new View("generation.txt", "7\n"),
                            new View("members/a.json", "{\"a\":1}\n"),
                            new View("members/b.json", "{}\n"),
                            new View("offsets/orders/partition-3.offset", "42\n")));
            journal.views()
                    .orElseThrow()
                    .publish(List.of(new View("generation.txt", "8\n"), new View("members/b.json", null)));
            assertThat(folder().resolve("generation.txt")).hasContent("8\n");
            assertThat(folder().resolve("members/a.json")).hasContent("{\"a\":1}\n");
            assertThat(folder().resolve("members/b.json")).doesNotExist();
            assertThat(folder().resolve("offsets/orders/partition-3.offset")).hasContent("42\n");
            try (Stream<Path> drafts = Files.list(data().resolve(".coordinator/drafts"))) {
                assertThat(drafts).noneMatch(draft -> draft.toString().endsWith(".view"));
            }
        }
    }

    /** A process that was stopped before its write must not replace a view that another process wrote meanwhile. */
    @Test
    void anOlderViewDoesNotReplaceANewerOne() throws IOException {
        try (FileStore store = open()) {
            GroupJournal journal = journalOf(store, 7);
            String path = "offsets/orders/partition-0.offset";
            journal.views().orElseThrow().publish(List.of(new View(path, "{\"offset\":2,\"version\":5}\n", 5)));
            journal.views()
                    .orElseThrow()
                    .publish(List.of(new View(path, "{\"offset\":0,\"version\":3}\n", 3), new View(path, null, 4)));
            assertThat(folder().resolve(path)).hasContent("{\"offset\":2,\"version\":5}\n");
            journal.views().orElseThrow().publish(List.of(new View(path, "{\"offset\":3,\"version\":6}\n", 6)));
            assertThat(folder().resolve(path)).hasContent("{\"offset\":3,\"version\":6}\n");
        }
    }

    /** The state after the restore of an older journal. */
    @Test
    void viewAheadOfTheJournalIsReplaced() throws IOException {
        try (FileStore store = open()) {
            GroupJournal journal = journalOf(store, 2);
            Files.writeString(folder().resolve("generation.txt"), "9\nversion 99\n");
            journal.views().orElseThrow().publish(List.of(new View("generation.txt", "1\nversion 1\n", 1)));
            assertThat(folder().resolve("generation.txt")).hasContent("1\nversion 1\n");
        }
    }

    private static GroupJournal journalOf(FileStore store, int lines) {
        GroupJournal journal = store.groups().open(WORKERS);
        for (int version = 0; version < lines; version++) {
            journal.append(version, "\"a\"");
        }
        return journal;
    }

    @Test
    void linesAreAddedBehindTheLastOnes() throws IOException {
        try (FileStore store = open()) {
            GroupJournal journal = store.groups().open(WORKERS);
            assertThat(journal.views()
                            .orElseThrow()
                            .extend("timeline.jsonl", tail -> tail.isEmpty() ? "1\n2\n" : "wrong"))
                    .isTrue();
            assertThat(journal.views()
                            .orElseThrow()
                            .extend("timeline.jsonl", tail -> tail.equals("1\n2\n") ? "3\n" : "wrong"))
                    .isTrue();
            assertThat(journal.views().orElseThrow().extend("timeline.jsonl", tail -> ""))
                    .isTrue();
            assertThat(folder().resolve("timeline.jsonl")).hasContent("1\n2\n3\n");
        }
    }

    @Test
    void unfinishedLineOfATimelineIsRemoved() throws IOException {
        try (FileStore store = open()) {
            GroupJournal journal = store.groups().open(WORKERS);
            Files.writeString(folder().resolve("timeline.jsonl"), "1\n2\n{\"at\":\"20");
            assertThat(journal.views()
                            .orElseThrow()
                            .extend("timeline.jsonl", tail -> tail.equals("1\n2\n") ? "3\n" : "wrong"))
                    .isTrue();
            assertThat(folder().resolve("timeline.jsonl")).hasContent("1\n2\n3\n");
        }
    }

    @Test
    void oneProcessAtATimeAddsLines() throws IOException {
        try (FileStore store = open();
                FileStore beside = open()) {
            GroupJournal journal = store.groups().open(WORKERS);
            GroupJournal other = beside.groups().open(WORKERS);
            boolean[] otherDid = {true};
            assertThat(journal.views().orElseThrow().extend("timeline.jsonl", tail -> {
                        otherDid[0] = other.views().orElseThrow().extend("timeline.jsonl", same -> "wrong\n");
                        return "1\n";
                    }))
                    .isTrue();
            assertThat(otherDid[0]).as("the other process added lines").isFalse();
            assertThat(folder().resolve("timeline.jsonl")).hasContent("1\n");
        }
    }

    @Test
    void aViewPathCannotPointOutsideTheFolderOrToTheJournal() throws IOException {
        try (FileStore store = open()) {
            GroupJournal journal = store.groups().open(WORKERS);
            journal.append(0, "\"a\"");
            List<String> before = tree();
            for (String path : List.of(
                    "../escaped",
                    "members/../../escaped",
                    "/tmp/escaped",
                    "",
                    "/",
                    "a//b",
                    ".",
                    "..",
                    ".hidden",
                    "group.json",
                    "journal-x/y",
                    "a\0b",
                    "a\\b")) {
                journal.views().orElseThrow().publish(List.of(new View(path, "no"), new View(path, null)));
                journal.views().orElseThrow().extend(path, tail -> "no");
            }
            assertThat(tree()).isEqualTo(before);
            assertThat(journal.read(0)).hasSize(1);
        }
    }

    private List<String> tree() throws IOException {
        List<String> names = new ArrayList<>();
        Files.walkFileTree(parent, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                if (folder.endsWith(".coordinator")) {
                    // The upkeep of the store creates and deletes files there.
                    return FileVisitResult.SKIP_SUBTREE;
                }
                names.add(folder.toString());
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                names.add(file.toString());
                return FileVisitResult.CONTINUE;
            }
        });
        names.sort(null);
        return names;
    }

    @Test
    void largeTimelineIsStartedAgain() throws IOException {
        try (FileStore store = open()) {
            GroupJournal journal = store.groups().open(WORKERS);
            String line = "x".repeat(6 << 20) + "\n";
            for (int i = 0; i < 4; i++) {
                int number = i;
                journal.views()
                        .orElseThrow()
                        .extend("timeline.jsonl", tail -> number < 3 || tail.isEmpty() ? line : tail);
            }
            assertThat(Files.size(folder().resolve("timeline.jsonl.old"))).isEqualTo(3L * line.length());
            assertThat(Files.size(folder().resolve("timeline.jsonl"))).isEqualTo(line.length());
        }
    }

    @Test
    void deletingViewsChangesNothing() throws IOException {
        try (FileStore store = open()) {
            GroupJournal journal = store.groups().open(WORKERS);
            journal.append(0, "\"a\"");
            journal.views()
                    .orElseThrow()
                    .publish(List.of(new View("members/a.json", "{}"), new View("generation.txt", "1")));
            Files.delete(folder().resolve("members/a.json"));
            Files.delete(folder().resolve("members"));
            Files.delete(folder().resolve("generation.txt"));
            journal.views().orElseThrow().publish(List.of(new View("members/a.json", "{}")));
            assertThat(folder().resolve("members/a.json")).exists();
            assertThat(journal.append(1, "\"b\"")).isTrue();
        }
    }

    @Test
    void lateViewDoesNotPreventCreatingTheGroupAgain() throws IOException {
        try (FileStore store = open()) {
            Files.createDirectories(folder().resolve("members"));
            Files.writeString(folder().resolve("members/old.json"), "{}");
            assertThat(store.groups().find(WORKERS)).isEmpty();
            assertThat(store.groups().list()).isEmpty();
            assertThat(store.groups().open(WORKERS).append(0, "\"a\"")).isTrue();
            assertThat(folder().resolve("members")).doesNotExist();
        }
    }

    /** A flipped bit of the page must not delete a group. */
    @Test
    void pageMarkWithoutARecordedDeletionDeletesNoGroup() throws IOException {
        try (FileStore store = open()) {
            GroupJournal journal = store.groups().open(WORKERS);
            assertThat(journal.append(0, "{}")).isTrue();
            journal.awaitDurable(1);
            markDeleted();
            folders().tidy();
            assertThat(folder().resolve(GroupFile.FILE)).isRegularFile();
        }
        try (FileStore store = open()) {
            folders().tidy();
            assertThat(store.groups().list()).containsExactly(WORKERS);
            GroupJournal journal = store.groups().find(WORKERS).orElseThrow();
            assertThat(journal.endVersion()).isEqualTo(1);
            assertThat(journal.append(1, "{}")).isTrue();
            journal.awaitDurable(2);
        }
    }

    @Test
    void upkeepFinishesARecordedDeletion() throws IOException {
        try (FileStore store = open()) {
            store.groups().open(WORKERS);
            folders().recordDeletion(group().id(), WORKERS);
            markDeleted();
            assertThat(store.groups().list()).isEmpty();
            folders().tidy();
            assertThat(folder()).doesNotExist();
        }
    }

    @Test
    void deletionLeavesALineForEachJournal() throws IOException {
        try (FileStore store = open()) {
            GroupJournal journal = store.groups().open(WORKERS);
            UUID first = group().id();
            store.groups().delete(journal);
            store.groups().open(WORKERS);
            UUID second = group().id();
            Files.delete(folder().resolve(GroupFile.FILE));
            store.groups().remove(WORKERS);
            assertThat(folder()).doesNotExist();
            assertThat(Files.readString(data().resolve(".coordinator/deleted-groups.jsonl")))
                    .contains(first.toString(), second.toString(), "\"name\":\"workers\"");
        }
    }

    private GroupFolders folders() {
        return new GroupFolders(
                FileStoreOptions.defaults().disk(), new Layout(data()), "test", BootId.read(), StoreRuntime.system());
    }

    private GroupFile group() throws IOException {
        return folders().find(WORKERS).orElseThrow();
    }

    private void markDeleted() throws IOException {
        GroupHandle.markDeleted(FileStoreOptions.defaults().disk(), folders().journal(group()), BootId.read());
    }

    @Test
    @Timeout(value = 5, unit = TimeUnit.MINUTES)
    void readOnlyStoreSeesGroupsAndChangesNothing() {
        FileStoreOptions reading = FileStoreOptions.defaults().withReadOnly(true);
        try (FileStore store = open()) {
            store.groups().open(WORKERS).append(0, "\"a\"");
        }
        try (FileStore reader = FileStore.open(data(), reading)) {
            GroupJournal seen = reader.groups().find(WORKERS).orElseThrow();
            assertThat(seen.read(0)).hasSize(1);
            assertThat(reader.groups().list()).containsExactly(WORKERS);
            seen.views().orElseThrow().publish(List.of(new View("generation.txt", "1")));
            assertThat(folder().resolve("generation.txt")).doesNotExist();
            assertThatExceptionOfType(ReadOnlyException.class).isThrownBy(() -> seen.append(1, "\"b\""));
            assertThatExceptionOfType(ReadOnlyException.class)
                    .isThrownBy(() -> reader.groups().open(new GroupName("none")));
            assertThatExceptionOfType(ReadOnlyException.class)
                    .isThrownBy(() -> reader.groups().delete(seen));
            try (FileStore store = open()) {
                GroupJournal journal = store.groups().open(WORKERS);
                assertThat(journal.append(1, "\"b\"")).isTrue();
                while (seen.endVersion() < 2) {
                    Thread.onSpinWait();
                }
                assertThat(seen.read(1)).hasSize(1);
                assertThat(reader.groups().hosts().gone(store.groups().hosts().self()))
                        .isFalse();
                store.groups().delete(journal);
                assertThatExceptionOfType(GroupDeletedException.class).isThrownBy(() -> {
                    while (seen.endVersion() >= 0) {
                        Thread.onSpinWait();
                    }
                });
                assertThat(reader.groups().find(WORKERS)).isEmpty();
            }
        }
    }
}
