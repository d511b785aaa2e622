package dev.muster.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.core.TopicPartition;
import dev.muster.core.group.Group;
import dev.muster.store.LogStore;
import dev.muster.store.ReadOnlyException;
import dev.muster.store.file.FileStore;
import dev.muster.store.file.FileStoreOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
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
        Muster muster = Muster.over(store);
        stores.put(muster, store);
        return muster;
    }

    @Test
    void whoMayOnlyReadSeesGroupsAndTheirLagAndJoinsNothing() throws Exception {
        try (Muster muster = process();
                Muster watcher = Muster.open(directory, MusterOptions.DEFAULT.withReadOnly(true))) {
            muster.topics().create("orders", 2);
            try (PollingMember member = new PollingMember(muster, "billing", it -> it, "orders")) {
                PollingMember.await("it has both", () -> member.owned().size() == 2);
                Groups.Snapshot seen = watcher.groups().await("billing", 0, Duration.ofSeconds(20));
                while (seen.group().owners().size() < 2) {
                    seen = watcher.groups().await("billing", seen.version(), Duration.ofSeconds(20));
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
    void peopleCanFollowAGroupInItsFolder() {
        try (Muster muster = process()) {
            muster.topics().create("orders", 2);
            try (PollingMember member = new PollingMember(muster, "billing", it -> it.id("A"), "orders")) {
                PollingMember.await("it has both", () -> member.owned().size() == 2);
                Path folder = directory.resolve("consumer-groups").resolve("billing");
                PollingMember.await(
                        "the views say so",
                        () -> text(folder.resolve("assignments.json")).contains("\"orders-0\",\"orders-1\"")
                                && text(folder.resolve("generation.txt")).equals("1\n")
                                && text(folder.resolve("timeline.jsonl")).contains("\"event\":\"granted\"")
                                && text(folder.resolve("members").resolve(member.id() + ".json"))
                                        .contains("\"client\":\"A\""));
                PollingMember.await(
                        "offsets too",
                        () -> text(folder.resolve("offsets/orders/partition-1.offset"))
                                .contains("\"offset\":0"));
            }
        }
    }

    /** Files may be missing for a moment: a restore, an rsync. That is no deletion. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void commitsStayWhileFilesOfTheTopicAreMissing(boolean recordsToo, @TempDir Path aside) throws Exception {
        Path name = directory.resolve("topics/orders");
        Path logs = directory.resolve("logs");
        try (Muster muster = process()) {
            muster.topics().create("orders", 2);
            send(muster, "a", "b");
            try (PollingMember member = new PollingMember(muster, "billing", it -> it, "orders")) {
                PollingMember.await("it has read", () -> member.values().size() == 2);
            }
        }
        Files.move(name, aside.resolve("orders"));
        if (recordsToo) {
            Files.move(logs, aside.resolve("logs"));
            Files.createDirectory(logs);
        }
        try (Muster muster = process();
                PollingMember member = new PollingMember(muster, "billing", it -> it, "orders")) {
            PollingMember.await("it owns both", () -> group(muster).owners().size() == 2);
            muster.topics().create("others", 1);
            PollingMember.await(
                    "it goes on owning both", () -> group(muster).owners().size() == 2);
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
            PollingMember.await("it reads on", () -> !member.values().isEmpty());
            assertThat(member.values()).containsExactly("c");
        }
    }

    private static Group group(Muster muster) {
        return muster.groups().find("billing").orElseThrow();
    }

    private static void send(Muster muster, String... values) {
        try (Producer<String, String> producer = muster.producer("orders", Codec.STRING, Codec.STRING)) {
            for (String value : values) {
                producer.send(Message.<String, String>of(value).withPartition(0));
            }
            producer.flush();
        }
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return "";
        }
    }

    /** Its files are closed and its locks free, as the kernel would do; nothing else is said to anybody. */
    @Override
    void kill(Muster process) {
        stores.get(process).close();
    }
}
