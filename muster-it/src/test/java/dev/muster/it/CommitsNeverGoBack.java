package dev.muster.it;

import dev.muster.core.TopicPartition;
import dev.muster.core.group.Group;
import dev.muster.core.group.json.GroupJson;
import dev.muster.core.group.model.Commit;
import dev.muster.core.group.model.GroupName;
import dev.muster.store.file.FileStore;
import dev.muster.store.file.FileStoreOptions;
import dev.muster.store.group.GroupJournal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Follows the journal of a group entry by entry while it is written, and checks that no committed offset decreases. */
final class CommitsNeverGoBack implements AutoCloseable {
    private final FileStore store;
    private final GroupName name;
    private final Thread thread;
    private final List<String> violations = new ArrayList<>();
    private volatile boolean ending;
    private volatile long entries;
    private volatile Group group = Group.empty();
    private volatile RuntimeException trouble;

    CommitsNeverGoBack(Path directory, String group) {
        store = FileStore.open(directory, FileStoreOptions.defaults());
        name = new GroupName(group);
        thread = Thread.ofPlatform().daemon().name("follows the journal").start(this::follow);
    }

    private void follow() {
        try {
            boolean last;
            do {
                last = ending;
                Optional<GroupJournal> journal = store.groups().find(name);
                if (journal.isPresent()) {
                    readAll(journal.get());
                }
                Rounds.letTimePass(5);
            } while (!last);
        } catch (RuntimeException e) {
            trouble = e;
        }
    }

    private void readAll(GroupJournal journal) {
        for (List<GroupJournal.Line> lines = journal.read(entries); !lines.isEmpty(); lines = journal.read(entries)) {
            for (GroupJournal.Line line : lines) {
                Group after = GroupJson.replay(group, line.text());
                compare(line.version(), group.offsets(), after.offsets());
                group = after;
                entries = line.version() + 1;
            }
        }
    }

    private void compare(long version, Map<TopicPartition, Commit> before, Map<TopicPartition, Commit> after) {
        before.forEach((partition, commit) -> {
            Commit now = after.get(partition);
            if (now == null || now.offset().offset() < commit.offset().offset()) {
                violations.add("version " + version + ": " + partition + " went from " + commit + " to " + now);
            }
        });
    }

    long entries() {
        return entries;
    }

    Group group() {
        return group;
    }

    /** Reads to the end. */
    List<String> violations() throws InterruptedException {
        ending = true;
        thread.join();
        if (trouble != null) {
            throw trouble;
        }
        return violations;
    }

    @Override
    public void close() {
        ending = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        store.close();
    }
}
