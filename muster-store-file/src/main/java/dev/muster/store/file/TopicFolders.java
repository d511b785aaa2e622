package dev.muster.store.file;

import dev.muster.core.Counts;
import dev.muster.core.InvalidNameException;
import dev.muster.core.MusterException;
import dev.muster.core.TopicId;
import dev.muster.core.TopicName;
import dev.muster.core.TopicSettings;
import dev.muster.store.Topic;
import dev.muster.store.TopicExistsException;
import dev.muster.store.TopicNotFoundException;
import dev.muster.store.file.disk.Disk;
import dev.muster.store.file.disk.DiskFile;
import dev.muster.store.file.disk.PoliteLock;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Makes, finds, changes and deletes topics in the directory. Whole folders appear and vanish by one rename. */
final class TopicFolders {
    private static final System.Logger LOG = System.getLogger(TopicFolders.class.getName());
    private static final String TAKEN = ".taken-topic";

    private final Disk disk;
    private final Layout layout;
    private final Clock clock;
    private final Marks deleted;

    /** Which topics are marked as deleted, whether they are still here or not. */
    interface Marks {
        boolean has(TopicId topic) throws IOException;
    }

    TopicFolders(Disk disk, Layout layout, Clock clock, Marks deleted) {
        this.disk = disk;
        this.layout = layout;
        this.clock = clock;
        this.deleted = deleted;
    }

    Topic create(TopicName name, int partitions, TopicSettings settings) throws IOException {
        if (disk.exists(layout.topic(name)) && !finishDelete(name)) {
            throw new TopicExistsException(name.value());
        }
        Topic topic = new Topic(name, new TopicId(disk.machine().newId()), partitions, settings, clock.instant());
        makePartitions(topic.id(), 0, partitions);
        disk.syncFolder(layout.logs());
        Path draft = layout.drafts().resolve(topic.id().toString());
        disk.createFolders(draft);
        disk.writeDurably(draft.resolve("topic.json"), TopicFile.toJson(topic));
        disk.syncFolder(draft);
        try (DiskFile _ = PoliteLock.take(disk, layout.topicsLock())) {
            disk.rename(draft, layout.topic(name));
        } catch (FileAlreadyExistsException | DirectoryNotEmptyException e) {
            throw lostRace(name, topic, draft);
        } catch (FileSystemException e) {
            if (disk.exists(layout.topicJson(name))) {
                throw lostRace(name, topic, draft);
            }
            throw e;
        }
        disk.syncFolder(layout.topics());
        return topic;
    }

    private TopicExistsException lostRace(TopicName name, Topic ours, Path draft) throws IOException {
        disk.deleteTree(draft);
        disk.deleteTree(layout.log(ours.id()));
        return new TopicExistsException(name.value());
    }

    private void makePartitions(TopicId id, int from, int to) throws IOException {
        for (int i = from; i < to; i++) {
            disk.createFolders(layout.partition(id, i));
        }
        disk.syncFolder(layout.log(id));
    }

    Optional<Topic> find(TopicName name) throws IOException {
        Optional<Topic> found = findEvenDeleted(name);
        return found.isPresent() && deleted.has(found.get().id()) ? Optional.empty() : found;
    }

    /** Also one that is marked as deleted, because whoever did so has not come, or never came, to taking its name. */
    Optional<Topic> findEvenDeleted(TopicName name) throws IOException {
        Path file = layout.topicJson(name);
        try {
            Topic topic = TopicFile.parse(file, disk.readAll(file));
            // Partitions only ever grow in number. The folders outrank the file, which a slow process may have written
            // late.
            int partitions = topic.partitions();
            while (disk.exists(layout.partition(topic.id(), partitions))) {
                partitions++;
            }
            return Optional.of(new Topic(name, topic.id(), partitions, topic.settings(), topic.createdAt()));
        } catch (NoSuchFileException | NotDirectoryException e) {
            return Optional.empty();
        }
    }

    List<Topic> list() throws IOException {
        List<Topic> found = new ArrayList<>();
        for (String name : disk.list(layout.topics())) {
            try {
                find(new TopicName(name)).ifPresent(found::add);
            } catch (InvalidNameException e) {
                // Not ours: somebody put a file there.
                continue;
            }
        }
        found.sort(Comparator.comparing(Topic::name));
        return found;
    }

    Topic addPartitions(TopicName name, int partitions) throws IOException {
        return change(name, topic -> {
            if (partitions <= topic.partitions()) {
                throw new MusterException(
                        "topic \"" + name + "\" has " + Counts.of(topic.partitions(), "partition")
                                + ": the number can only be raised, not set to " + partitions,
                        "choose a larger number, or make another topic");
            }
            makePartitions(topic.id(), topic.partitions(), partitions);
            return new Topic(name, topic.id(), partitions, topic.settings(), topic.createdAt());
        });
    }

    Topic alter(TopicName name, TopicSettings settings) throws IOException {
        return change(name, topic -> new Topic(name, topic.id(), topic.partitions(), settings, topic.createdAt()));
    }

    private interface Change {
        Topic apply(Topic topic) throws IOException;
    }

    private Topic change(TopicName name, Change change) throws IOException {
        try (DiskFile _ = PoliteLock.take(disk, layout.topicsLock())) {
            Topic topic = find(name).orElseThrow(() -> FileStore.noTopic(name));
            Topic changed = change.apply(topic);
            Path draft = layout.drafts().resolve(disk.machine().newId() + ".json");
            try {
                disk.writeDurably(draft, TopicFile.toJson(changed));
                disk.rename(draft, layout.topicJson(name));
            } finally {
                disk.delete(draft);
            }
            disk.syncFolder(layout.topic(name));
            return changed;
        } catch (NoSuchFileException e) {
            if (find(name).isEmpty()) {
                throw FileStore.noTopic(name);
            }
            throw e;
        }
    }

    /**
     * The topic is marked as deleted: takes its name away, then its records. By now the name may belong to a topic made
     * anew: what was taken is looked at before it is thrown away.
     */
    void delete(Topic topic) throws IOException {
        try (DiskFile _ = PoliteLock.take(disk, layout.topicsLock())) {
            Path taken = layout.drafts().resolve(disk.machine().newId() + TAKEN);
            disk.rename(layout.topic(topic.name()), taken);
            if (!settle(taken).equals(topic.id())) {
                throw FileStore.noTopic(topic.name());
            }
        } catch (NoSuchFileException e) {
            throw FileStore.noTopic(topic.name());
        }
        disk.syncFolder(layout.topics());
        disk.syncFolder(layout.trash());
        try {
            bury(topic.id().toString());
        } catch (IOException e) {
            // It is deleted; what is left of it goes with the next round of housekeeping.
            LOG.log(System.Logger.Level.DEBUG, "left in the trash: {0}", e.getMessage());
        }
    }

    /** A folder that was taken from its place: to the trash with it, or back when it is not a deleted topic's. */
    private TopicId settle(Path taken) throws IOException {
        Path json = taken.resolve("topic.json");
        Topic topic = TopicFile.parse(json, disk.readAll(json));
        disk.rename(
                taken,
                deleted.has(topic.id()) ? layout.trash().resolve(topic.id() + ".topic") : layout.topic(topic.name()));
        return topic.id();
    }

    /** @return whether the topic of this name was one whose deletion somebody began; now it is over */
    private boolean finishDelete(TopicName name) throws IOException {
        Optional<Topic> there = findEvenDeleted(name);
        if (there.isEmpty() || !deleted.has(there.get().id())) {
            return false;
        }
        try {
            delete(there.get());
        } catch (TopicNotFoundException e) {
            // Whoever began it came to its end.
            LOG.log(System.Logger.Level.DEBUG, "topic {0} was deleted meanwhile", name);
        }
        return true;
    }

    /** Finishes what processes that died in the middle of a delete have left. */
    void tidy() throws IOException {
        for (String name : disk.list(layout.drafts())) {
            if (name.endsWith(TAKEN)) {
                settleLeft(layout.drafts().resolve(name));
            }
        }
        for (String name : disk.list(layout.topics())) {
            try {
                finishDelete(new TopicName(name));
            } catch (InvalidNameException e) {
                // Not ours: somebody put a file there.
                continue;
            }
        }
        emptyTrash();
    }

    private void settleLeft(Path taken) throws IOException {
        try {
            settle(taken);
        } catch (NoSuchFileException e) {
            // Its taker is not dead but slow, and did it.
            assert !disk.exists(taken) : e;
        } catch (FileAlreadyExistsException | DirectoryNotEmptyException e) {
            // Its name has gone to another topic. Nobody looks for it here, and nothing is thrown away by mistake.
            LOG.log(System.Logger.Level.DEBUG, "left in the drafts: {0}", e.getMessage());
        }
    }

    private void emptyTrash() throws IOException {
        for (String name : disk.list(layout.trash())) {
            int dot = name.indexOf('.');
            if (dot > 0) {
                bury(name.substring(0, dot));
            }
        }
    }

    private void bury(String id) throws IOException {
        Path logs = layout.logs().resolve(id);
        Path grave = layout.trash().resolve(id + ".logs");
        if (disk.exists(logs)) {
            try {
                disk.rename(logs, grave);
            } catch (NoSuchFileException e) {
                // Another process buries it at the same time.
                assert !disk.exists(logs) : e;
            }
        }
        disk.deleteTree(grave);
        disk.deleteTree(layout.trash().resolve(id + ".topic"));
    }
}
