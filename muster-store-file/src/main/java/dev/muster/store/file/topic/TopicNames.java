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
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The topics of the directory by their names. A topic whose {@code topic.json} is missing or damaged is found by the
 * copy beside its records. Safe for many threads.
 */
public final class TopicNames {
    private static final System.Logger LOG = System.getLogger(TopicNames.class.getName());

    private final Disk disk;
    private final Layout layout;
    private final Deleted deleted;
    private final TopicCopies copies;
    private final boolean readOnly;

    /** Knows whether a topic was deleted. */
    interface Deleted {
        boolean has(TopicId topic) throws IOException;
    }

    TopicNames(Disk disk, Layout layout, DeletedTopics deletions, DeletionMarks marks, boolean readOnly) {
        this.disk = disk;
        this.layout = layout;
        this.deleted = id -> marks.has(id) || deletions.has(id);
        this.copies = new TopicCopies(disk, layout, deleted);
        this.readOnly = readOnly;
    }

    /** The copies of {@code topic.json} beside the records. */
    TopicCopies copies() {
        return copies;
    }

    /** True if a deletion of the topic was begun or recorded. */
    boolean isDeleted(TopicId topic) throws IOException {
        return deleted.has(topic);
    }

    /** The topic of this name. If {@code topic.json} is missing or damaged, it is read from the copy. */
    public Optional<Topic> find(TopicName name) throws IOException {
        Optional<Topic> named = Optional.empty();
        StoreIoException damage = null;
        try {
            named = readNamed(name);
        } catch (StoreIoException e) {
            damage = e;
        }
        if (named.isPresent() && !deleted.has(named.get().id())) {
            return named;
        }
        Optional<Topic> copy = copies.find(name);
        if (copy.isEmpty() && damage != null) {
            throw damage;
        }
        if (copy.isPresent() && damage == null && !readOnly) {
            restoreIfPossible(copy.get());
        }
        return copy.map(this::withAllPartitions);
    }

    /** The topic in {@code topic.json}; empty if there is no such file. */
    Optional<Topic> readNamed(TopicName name) throws IOException {
        Path file = layout.topicJson(name);
        try {
            Topic topic = TopicFile.parse(file, disk.readAll(file));
            return Optional.of(withAllPartitions(
                    new Topic(name, topic.id(), topic.partitions(), topic.settings(), topic.createdAt())));
        } catch (NoSuchFileException | NotDirectoryException e) {
            return Optional.empty();
        }
    }

    /**
     * The topic with the partitions that have a folder. The number of partitions only grows, and a slow process may
     * have written the file with a lower number late.
     */
    private Topic withAllPartitions(Topic topic) {
        int partitions = topic.partitions();
        while (disk.exists(layout.partition(topic.id(), partitions))) {
            partitions++;
        }
        return new Topic(topic.name(), topic.id(), partitions, topic.settings(), topic.createdAt());
    }

    /** The topic of this name. Also finds a topic whose deletion was begun and not finished. */
    public Optional<Topic> findEvenDeleted(TopicName name) throws IOException {
        Optional<Topic> found = find(name);
        return found.isPresent() ? found : readNamed(name);
    }

    private void restoreIfPossible(Topic topic) {
        try {
            restoreName(topic);
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "topic {0} has no name file yet: {1}", topic.name(), e.getMessage());
        }
    }

    /** Writes the missing {@code topic.json} from its copy. Keeps a file that appears meanwhile. */
    private void restoreName(Topic topic) throws IOException {
        Path draft = layout.drafts().resolve(disk.machine().newId() + ".json");
        try (DiskFile _ = PoliteLock.take(disk, layout.topicsLock())) {
            if (deleted.has(topic.id()) || !copies.exists(topic.id())) {
                return;
            }
            disk.createFolders(layout.topic(topic.name()));
            disk.writeDurably(draft, TopicFile.toJson(topic));
            disk.link(draft, layout.topicJson(topic.name()));
            LOG.log(
                    System.Logger.Level.INFO,
                    "topic {0} had lost {1}; it was restored from {2}",
                    topic.name(),
                    layout.topicJson(topic.name()),
                    layout.topicCopy(topic.id()));
        } catch (FileAlreadyExistsException e) {
            // Another process was faster, or the file has come back.
            LOG.log(System.Logger.Level.DEBUG, "topic {0} has its name file again", topic.name());
        } finally {
            disk.delete(draft);
        }
        disk.syncFolder(layout.topic(topic.name()));
        disk.syncFolder(layout.topics());
    }

    /** Writes {@code topic.json}, and replaces the file if there is one. For a repair. */
    void writeName(Topic topic) throws IOException {
        Path draft = layout.drafts().resolve(disk.machine().newId() + ".json");
        disk.createFolders(layout.topic(topic.name()));
        try {
            disk.writeDurably(draft, TopicFile.toJson(topic));
            disk.rename(draft, layout.topicJson(topic.name()));
        } finally {
            disk.delete(draft);
        }
        disk.syncFolder(layout.topic(topic.name()));
        disk.syncFolder(layout.topics());
    }

    /** The topic in {@code topic.json}, which may have fewer partitions than the topic. */
    Topic inFile(Topic topic) throws IOException {
        Path file = layout.topicJson(topic.name());
        return TopicFile.parse(file, disk.readAll(file));
    }

    /** Writes the copy of a topic that has none. Earlier versions wrote no copies. */
    public void copyIfMissing(Topic topic) {
        copies.writeIfMissing(topic);
    }

    public List<Topic> list() throws IOException {
        Map<TopicName, Topic> found = new TreeMap<>();
        for (String name : disk.list(layout.topics())) {
            try {
                find(new TopicName(name)).ifPresent(topic -> found.put(topic.name(), topic));
            } catch (InvalidNameException e) {
                // The file is not a topic of Muster.
                continue;
            }
        }
        Set<TopicId> ids = found.values().stream().map(Topic::id).collect(Collectors.toSet());
        for (TopicName name : copies.namesBeside(ids)) {
            if (!found.containsKey(name)) {
                find(name).ifPresent(topic -> found.put(name, topic));
            }
        }
        return List.copyOf(found.values());
    }

    /** The error for a topic that does not exist. */
    public static TopicNotFoundException noTopic(TopicName name) {
        return new TopicNotFoundException("topic \"" + name + "\"");
    }
}
