package dev.muster.store.file.topic;

import dev.muster.core.InvalidNameException;
import dev.muster.core.Topic;
import dev.muster.core.TopicId;
import dev.muster.core.TopicName;
import dev.muster.disk.Disk;
import dev.muster.disk.DiskFile;
import dev.muster.disk.PoliteLock;
import dev.muster.store.StoreIoException;
import dev.muster.store.TopicNotFoundException;
import dev.muster.store.file.layout.Layout;
import dev.muster.store.runtime.StoreRuntime;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Removes deleted topics from the directory, and finishes what a process that died left behind. A name is taken away
 * first, by one rename, and then the records. Safe for many threads.
 */
public final class TopicRemoval {
    private static final System.Logger LOG = System.getLogger(TopicRemoval.class.getName());
    private static final String TAKEN = ".taken-topic";
    private static final String TRASHED_NAME = ".topic";
    private static final String TRASHED_RECORDS = ".logs";

    private final Disk disk;
    private final Layout layout;
    private final StoreRuntime runtime;
    private final DeletedTopics deletions;
    private final DeletionMarks marks;
    private final TopicNames names;
    private final TopicCopies copies;

    TopicRemoval(
            Disk disk,
            Layout layout,
            StoreRuntime runtime,
            DeletedTopics deletions,
            DeletionMarks marks,
            TopicNames names) {
        this.disk = disk;
        this.layout = layout;
        this.runtime = runtime;
        this.deletions = deletions;
        this.marks = marks;
        this.names = names;
        this.copies = names.copies();
    }

    /** Records the deletion of a topic before any of its files is deleted. The record is durable when this returns. */
    public void recordDeletion(Topic topic) throws IOException {
        if (!deletions.has(topic.id())) {
            deletions.record(topic, runtime.clock().instant());
        }
    }

    /**
     * Takes away the name of a topic that is marked as deleted, then its records. The name may belong to a new topic by
     * now, so a folder that was taken is read before it goes to the trash.
     */
    public void delete(Topic topic) throws IOException {
        try (DiskFile _ = PoliteLock.take(disk, layout.topicsLock())) {
            Path taken = layout.drafts().resolve(disk.machine().newId() + TAKEN);
            disk.rename(layout.topic(topic.name()), taken);
            Optional<TopicId> settled = settle(taken);
            if (settled.isPresent() && !settled.get().equals(topic.id())) {
                throw TopicNames.noTopic(topic.name());
            }
        } catch (NoSuchFileException e) {
            // Without a name file the records are what is left of the topic.
            if (!disk.exists(layout.log(topic.id()))) {
                throw TopicNames.noTopic(topic.name());
            }
        }
        disk.syncFolder(layout.topics());
        disk.syncFolder(layout.trash());
        try {
            trashRecords(topic.id());
        } catch (IOException e) {
            // The topic is deleted. The next round of housekeeping deletes the remaining files.
            LOG.log(System.Logger.Level.DEBUG, "left in the trash: {0}", e.getMessage());
        }
    }

    /**
     * Moves a folder that was taken from its place to the trash. Moves it back if its topic was not deleted.
     *
     * @return the topic of the folder; empty if its {@code topic.json} is missing or damaged
     */
    private Optional<TopicId> settle(Path taken) throws IOException {
        Path json = taken.resolve(Layout.TOPIC_JSON);
        Topic topic;
        try {
            topic = TopicFile.parse(json, disk.readAll(json));
        } catch (NoSuchFileException | StoreIoException e) {
            // If the topic exists, it has a copy, from which its name is restored.
            disk.rename(taken, layout.trash().resolve(disk.machine().newId() + TRASHED_NAME));
            LOG.log(System.Logger.Level.DEBUG, "a folder without a topic went to the trash: {0}", e.getMessage());
            return Optional.empty();
        }
        if (names.isDeleted(topic.id())) {
            disk.rename(taken, layout.trash().resolve(topic.id() + TRASHED_NAME));
        } else {
            moveBack(taken, topic);
        }
        return Optional.of(topic.id());
    }

    private void moveBack(Path taken, Topic topic) throws IOException {
        try {
            disk.rename(taken, layout.topic(topic.name()));
        } catch (FileAlreadyExistsException | DirectoryNotEmptyException e) {
            Optional<Topic> there = names.readNamed(topic.name());
            if (there.isEmpty() || !there.get().id().equals(topic.id())) {
                throw e;
            }
            // The name of the topic was restored from the copy meanwhile.
            disk.rename(taken, layout.trash().resolve(disk.machine().newId() + TRASHED_NAME));
        }
    }

    /**
     * Finishes the deletion of the topic with this name, if it is recorded.
     *
     * @return true if there was such a deletion; it is now complete
     */
    boolean finishDelete(TopicName name) throws IOException {
        Optional<Topic> there;
        try {
            there = names.readNamed(name);
        } catch (StoreIoException e) {
            LOG.log(System.Logger.Level.DEBUG, "topic {0} is skipped: {1}", name, e.getMessage());
            return false;
        }
        // The mark on a page is not enough to delete files, because the page may be damaged.
        if (there.isEmpty() || !deletions.has(there.get().id())) {
            return false;
        }
        try {
            delete(there.get());
        } catch (TopicNotFoundException e) {
            // The process that began the deletion has completed it.
            LOG.log(System.Logger.Level.DEBUG, "topic {0} was deleted meanwhile", name);
        }
        return true;
    }

    /** Finishes the deletions of processes that died during them, and brings the copies up to date. */
    public void tidy() throws IOException {
        for (String name : disk.list(layout.drafts())) {
            if (name.endsWith(TAKEN)) {
                settleLeft(layout.drafts().resolve(name));
            }
        }
        for (String name : disk.list(layout.topics())) {
            try {
                TopicName topic = new TopicName(name);
                if (!finishDelete(topic)) {
                    refreshCopy(topic);
                }
            } catch (InvalidNameException e) {
                // The file is not a topic of Muster.
                continue;
            }
        }
        for (TopicId id : TopicCopies.ids(disk, layout)) {
            if (deletions.has(id)) {
                trashRecords(id);
            }
        }
        emptyTrash();
    }

    private void refreshCopy(TopicName name) throws IOException {
        try {
            Optional<Topic> topic = names.readNamed(name);
            if (topic.isPresent()
                    && disk.exists(layout.log(topic.get().id()))
                    && !copies.read(topic.get().id()).equals(topic)) {
                copies.write(topic.get());
            }
        } catch (NoSuchFileException e) {
            // The topic is being deleted.
            LOG.log(System.Logger.Level.DEBUG, "no copy of topic {0}: {1}", name, e.getMessage());
        } catch (StoreIoException e) {
            LOG.log(System.Logger.Level.DEBUG, "topic {0} is skipped: {1}", name, e.getMessage());
        }
    }

    private void settleLeft(Path taken) throws IOException {
        try {
            var _ = settle(taken);
        } catch (NoSuchFileException e) {
            // The process that took the folder is not dead but slow, and has moved it.
            assert !disk.exists(taken) : e;
        } catch (FileAlreadyExistsException | DirectoryNotEmptyException e) {
            // Another topic has the name. No process looks for the folder here, and nothing is deleted by mistake.
            LOG.log(System.Logger.Level.DEBUG, "left in the drafts: {0}", e.getMessage());
        }
    }

    private void emptyTrash() throws IOException {
        for (String name : disk.list(layout.trash())) {
            if (name.endsWith(TRASHED_NAME) || name.endsWith(TRASHED_RECORDS)) {
                deleteTrashed(layout.trash().resolve(name), name.substring(0, name.indexOf('.')));
            }
        }
    }

    private void deleteTrashed(Path trashed, String id) throws IOException {
        Optional<TopicId> topic = TopicCopies.id(id);
        if (topic.isPresent() && names.isDeleted(topic.get())) {
            trashRecords(topic.get());
        }
        disk.deleteTree(trashed);
    }

    /** Takes the records of a deleted topic away, once. Records that appear under its id afterwards were restored. */
    private void trashRecords(TopicId id) throws IOException {
        Path logs = layout.log(id);
        Path trashed = layout.trash().resolve(id + TRASHED_RECORDS);
        if (disk.exists(logs) && !deletions.isBuried(id)) {
            try {
                // The process that began the deletion may have died before it marked the topic.
                marks.set(id);
                disk.rename(logs, trashed);
            } catch (NoSuchFileException e) {
                // Another process buries it at the same time.
                assert !disk.exists(logs) : e;
            }
        }
        if (!disk.exists(logs) && deletions.has(id)) {
            deletions.recordBuried(id);
        }
        disk.deleteTree(trashed);
        disk.deleteTree(layout.trash().resolve(id + TRASHED_NAME));
    }
}
