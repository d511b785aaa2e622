package dev.muster.store.file.topic;

import dev.muster.core.Counts;
import dev.muster.core.MusterException;
import dev.muster.core.Topic;
import dev.muster.core.TopicId;
import dev.muster.core.TopicName;
import dev.muster.core.TopicSettings;
import dev.muster.disk.Disk;
import dev.muster.disk.DiskFile;
import dev.muster.disk.PoliteLock;
import dev.muster.store.StoreIoException;
import dev.muster.store.TopicDeletedException;
import dev.muster.store.TopicExistsException;
import dev.muster.store.file.layout.Layout;
import dev.muster.store.runtime.StoreRuntime;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;

/**
 * Creates and changes topics in the directory. A folder appears whole, by one rename. {@link TopicNames} finds topics,
 * and {@link TopicRemoval} deletes them. Safe for many threads.
 */
public final class TopicFolders {
    private final Disk disk;
    private final Layout layout;
    private final StoreRuntime runtime;
    private final TopicNames names;
    private final TopicCopies copies;
    private final TopicRemoval removal;

    public TopicFolders(
            Disk disk,
            Layout layout,
            StoreRuntime runtime,
            DeletedTopics deletions,
            DeletionMarks marks,
            boolean readOnly) {
        this.disk = disk;
        this.layout = layout;
        this.runtime = runtime;
        this.names = new TopicNames(disk, layout, deletions, marks, readOnly);
        this.copies = names.copies();
        this.removal = new TopicRemoval(disk, layout, runtime, deletions, marks, names);
    }

    /** Finds the topics of these folders. */
    public TopicNames names() {
        return names;
    }

    /** Removes topics from these folders. */
    public TopicRemoval removal() {
        return removal;
    }

    public Topic create(TopicName name, int partitions, TopicSettings settings) throws IOException {
        if (names.find(name).isPresent()) {
            throw new TopicExistsException(name.value());
        }
        if (disk.exists(layout.topic(name)) && !removal.finishDelete(name)) {
            checkFolderIsFree(name);
        }
        Topic topic = new Topic(
                name,
                new TopicId(runtime.newId()),
                partitions,
                settings,
                runtime.clock().instant());
        makePartitions(topic.id(), 0, partitions);
        disk.syncFolder(layout.logs());
        Path draft = layout.drafts().resolve(topic.id().toString());
        disk.createFolders(draft);
        disk.writeDurably(draft.resolve(Layout.TOPIC_JSON), TopicFile.toJson(topic));
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
        // The copy is the last step: a topic with a copy exists, and one that lost the race for its name must not.
        try {
            copies.write(topic);
        } catch (NoSuchFileException e) {
            if (!names.isDeleted(topic.id())) {
                throw e;
            }
        }
        return topic;
    }

    /**
     * Throws if the folder of this name may belong to a topic. Earlier versions wrote no copies, so a folder without
     * {@code topic.json} may be the rest of such a topic.
     */
    private void checkFolderIsFree(TopicName name) throws IOException {
        if (!disk.list(layout.topic(name)).isEmpty()) {
            throw new TopicExistsException(name.value());
        }
        Set<TopicId> named = new HashSet<>();
        for (String other : disk.list(layout.topics())) {
            names.readNamed(new TopicName(other)).map(Topic::id).ifPresent(named::add);
        }
        for (TopicId id : TopicCopies.ids(disk, layout)) {
            if (!named.contains(id) && !copies.exists(id) && !names.isDeleted(id)) {
                throw new StoreIoException(
                        layout.topicJson(name) + " is missing, and " + layout.log(id)
                                + " holds records of a topic without a name; restore it from a copy",
                        null);
            }
        }
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

    public Topic addPartitions(TopicName name, int partitions) throws IOException {
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

    public Topic alter(TopicName name, TopicSettings settings) throws IOException {
        return change(name, topic -> new Topic(name, topic.id(), topic.partitions(), settings, topic.createdAt()));
    }

    private interface Change {
        Topic apply(Topic topic) throws IOException;
    }

    private Topic change(TopicName name, Change change) throws IOException {
        Topic before = null;
        try (DiskFile _ = PoliteLock.take(disk, layout.topicsLock())) {
            before = names.find(name).orElseThrow(() -> TopicNames.noTopic(name));
            Topic changed = change.apply(before);
            Path draft = layout.drafts().resolve(disk.machine().newId() + ".json");
            try {
                disk.writeDurably(draft, TopicFile.toJson(changed));
                disk.createFolders(layout.topic(name));
                disk.rename(draft, layout.topicJson(name));
            } finally {
                disk.delete(draft);
            }
            disk.syncFolder(layout.topic(name));
            copies.write(changed);
            return changed;
        } catch (NoSuchFileException e) {
            if (names.find(name).isEmpty()) {
                throw TopicNames.noTopic(name);
            }
            if (before != null && names.isDeleted(before.id())) {
                // The name belongs to another topic by now, and the change was not for that one.
                throw new TopicDeletedException(name.value());
            }
            throw e;
        }
    }
}
