package dev.muster.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.core.TopicPartition;
import dev.muster.core.group.Group;
import dev.muster.core.group.command.Event;
import dev.muster.core.group.json.GroupJson;
import dev.muster.core.group.model.GroupName;
import dev.muster.core.json.Json;
import dev.muster.embedded.internal.GroupInspection;
import dev.muster.embedded.internal.OpenMuster;
import dev.muster.store.LogStore;
import dev.muster.store.ReadOnlyException;
import dev.muster.store.file.FileStore;
import dev.muster.store.file.FileStoreOptions;
import dev.muster.store.group.GroupJournal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DirectoryGroupTest extends GroupTests {
    @TempDir
    Path directory;

    private final Map<Muster, LogStore> stores = new HashMap<>();

    @Override
    Muster process() {
        LogStore store = FileStore.open(directory, FileStoreOptions.defaults());
        OpenMuster muster = OpenMuster.over(store);
        stores.put(muster, store);
        return muster;
    }

    @Test
    void aReadOnlyInstanceSeesGroupsAndCannotChangeThem() throws Exception {
        try (Muster muster = process();
                Muster watcher = Muster.open(directory, MusterOptions.DEFAULT.withReadOnly(true))) {
            muster.topics().create("orders", 2);
            try (PollingMember member = new PollingMember(muster, "billing", it -> it, "orders")) {
                PollingMember.await(
                        "the member has both partitions", () -> member.owned().size() == 2);
                GroupInspection.Snapshot seen =
                        GroupInspection.of(watcher).awaitSnapshot("billing", 0, Duration.ofMinutes(2));
                while (seen.group().owners().size() < 2) {
                    seen = GroupInspection.of(watcher).awaitSnapshot("billing", seen.version(), Duration.ofMinutes(2));
                }
                assertThat(watcher.groups().list()).containsExactly("billing");
                assertThat(watcher.groups().lag("billing")).hasSize(2);
                assertThatThrownBy(() -> watcher.consumer("billing", "orders").open())
                        .isInstanceOf(ReadOnlyException.class);
                assertThatThrownBy(() -> watcher.groups().remove("billing", member.id()))
                        .isInstanceOf(ReadOnlyException.class);
            }
        }
    }

    @Test
    void theFilesInAGroupsFolderShowItsState() {
        try (Muster muster = process()) {
            muster.topics().create("orders", 2);
            try (PollingMember member = new PollingMember(muster, "billing", it -> it.id("A"), "orders")) {
                PollingMember.await(
                        "the member has both partitions", () -> member.owned().size() == 2);
                Path folder = directory.resolve("consumer-groups").resolve("billing");
                PollingMember.await(
                        "the views show the assignment",
                        () -> text(folder.resolve("assignments.json")).contains("\"orders-0\",\"orders-1\"")
                                && text(folder.resolve("generation.txt")).startsWith("1\nversion ")
                                && text(folder.resolve("timeline.jsonl")).contains("\"event\":\"granted\"")
                                && text(folder.resolve("members").resolve(member.id() + ".json"))
                                        .matches("(?s).*\"version\":\\d+,.*\"client\":\"A\",.*\"pid\":"
                                                + ProcessHandle.current().pid() + ",.*"));
                PollingMember.await(
                        "the views show the offsets",
                        () -> text(folder.resolve("offsets/orders/partition-1.offset"))
                                .contains("\"offset\":0"));
            }
        }
    }

    /** During a restore or an rsync, files may be missing for a moment. The topic is not deleted then. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void commitsStayWhileFilesOfTheTopicAreMissing(boolean recordsToo, @TempDir Path aside) throws Exception {
        Path name = directory.resolve("topics/orders");
        Path logs = directory.resolve("logs");
        try (Muster muster = process()) {
            muster.topics().create("orders", 2);
            send(muster, "a", "b");
            try (PollingMember member = new PollingMember(muster, "billing", it -> it, "orders")) {
                PollingMember.await(
                        "the member has read both records",
                        () -> member.values().size() == 2);
            }
        }
        Files.move(name, aside.resolve("orders"));
        if (recordsToo) {
            Files.move(logs, aside.resolve("logs"));
            Files.createDirectory(logs);
        }
        try (Muster muster = process();
                PollingMember member = new PollingMember(muster, "billing", it -> it, "orders")) {
            PollingMember.await(
                    "the member owns both partitions",
                    () -> group(muster).owners().size() == 2);
            muster.topics().create("others", 1);
            PollingMember.await(
                    "the member still owns both partitions",
                    () -> group(muster).owners().size() == 2);
            assertThat(group(muster)
                            .offsets()
                            .get(TopicPartition.of("orders", 0))
                            .offset()
                            .offset())
                    .isEqualTo(2);
            if (recordsToo) {
                try (Stream<Path> ids = Files.list(aside.resolve("logs"))) {
                    for (Path id : ids.toList()) {
                        Files.move(id, logs.resolve(id.getFileName()));
                    }
                }
            }
            send(muster, "c");
            PollingMember.await(
                    "the member reads the new record", () -> !member.values().isEmpty());
            assertThat(member.values()).containsExactly("c");
        }
    }

    private static Group group(Muster muster) {
        return GroupInspection.of(muster).state("billing").orElseThrow();
    }

    private static void send(Muster muster, String... values) {
        try (Producer<String, String> producer = muster.producer("orders", Codec.STRING, Codec.STRING)) {
            for (String value : values) {
                producer.send(Message.<String, String>of(value).withPartition(0));
            }
            producer.flush();
        }
    }

    /** To the next process, the changed files look as if their writer had died before it wrote the views. */
    @Test
    void theNextProcessRewritesStaleViews() throws Exception {
        Path folder = directory.resolve("consumer-groups").resolve("billing");
        Path offset = folder.resolve("offsets/orders/partition-0.offset");
        String right;
        try (Muster muster = process()) {
            muster.topics().create("orders", 2);
            muster.groups().reset("billing", new TreeMap<>(Map.of(TopicPartition.of("orders", 0), 0L)));
            PollingMember.await("the view is written", () -> text(offset).contains("\"offset\":0"));
            right = text(offset);
            assertThat(right).contains("\"offset\":0", "\"version\":");
        }
        Files.writeString(
                offset, right.replace("\"offset\":0", "\"offset\":7").replaceAll("\"version\":\\d+", "\"version\":0"));
        Files.writeString(offset.resolveSibling("partition-1.offset"), "{\"offset\":5,\"version\":0}\n");
        Files.createDirectories(folder.resolve("members"));
        Files.writeString(folder.resolve("members/ghost.json"), "{\"version\":0,\"member\":\"ghost\"}\n");
        Files.writeString(folder.resolve("generation.txt"), "0\nversion 0\n");
        Files.deleteIfExists(folder.resolve("assignments.json"));
        try (Muster next = process();
                PollingMember member = new PollingMember(next, "billing", it -> it.id("A"), "orders")) {
            PollingMember.await(
                    "the member has both partitions", () -> member.owned().size() == 2);
            PollingMember.await(
                    "the views are right",
                    () -> text(offset).contains("\"offset\":0")
                            && !text(offset.resolveSibling("partition-1.offset"))
                                    .contains("\"offset\":5")
                            && !Files.exists(folder.resolve("members/ghost.json"))
                            && text(folder.resolve("generation.txt")).startsWith("1\n")
                            && text(folder.resolve("assignments.json")).contains("orders-0"));
        }
    }

    @Test
    void theTimelineOfSeveralProcessesIsOrderedAndComplete() throws Exception {
        Path timeline = directory.resolve("consumer-groups").resolve("billing").resolve("timeline.jsonl");
        try (Muster muster = process()) {
            muster.topics().create("orders", 6);
            List<Muster> processes = new ArrayList<>();
            List<PollingMember> members = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                processes.add(process());
            }
            for (int round = 0; round < 3; round++) {
                for (Muster process : processes) {
                    String name = "M" + members.size();
                    members.add(new PollingMember(process, "billing", it -> it.id(name), "orders"));
                }
                PollingMember.await(
                        "all partitions are owned",
                        () -> GroupInspection.of(muster)
                                .state("billing")
                                .filter(group -> group.owners().size() == 6)
                                .isPresent());
                members.removeFirst().close();
            }
            for (PollingMember member : members) {
                member.close();
            }
            for (Muster process : processes) {
                process.close();
            }
            PollingMember.await(
                    "the timeline is complete", () -> versionsIn(timeline).equals(eventsIn(muster)));
            assertThat(versionsIn(timeline)).isSorted();
        }
    }

    private static List<Long> versionsIn(Path timeline) {
        return text(timeline)
                .lines()
                .map(line -> (Long) ((Map<?, ?>) Json.parse(line)).get("version"))
                .toList();
    }

    /** For each event of the journal the version of its entry. Commits are left out. */
    private static List<Long> eventsIn(Muster muster) {
        GroupJournal journal = ((OpenMuster) muster)
                .groupService()
                .store()
                .groups()
                .find(new GroupName("billing"))
                .orElseThrow();
        List<Long> versions = new ArrayList<>();
        for (long at = journal.startVersion(); at < journal.endVersion(); ) {
            for (GroupJournal.Line line : journal.read(at)) {
                GroupJson.readEntry(line.text()).events().stream()
                        .filter(event -> !(event instanceof Event.Committed))
                        .forEach(event -> versions.add(line.version()));
                at = line.version() + 1;
            }
        }
        return versions;
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return "";
        }
    }

    /** Closes the files and frees the locks, as the kernel does at the death of a process. Nothing is written. */
    @Override
    void kill(Muster process) {
        stores.get(process).close();
    }
}
