package dev.muster.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
