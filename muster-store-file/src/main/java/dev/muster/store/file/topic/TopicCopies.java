package dev.muster.store.file.topic;

import dev.muster.core.MusterException;
import dev.muster.core.Topic;
import dev.muster.core.TopicId;
import dev.muster.core.TopicName;
import dev.muster.disk.Disk;
import dev.muster.store.file.layout.Layout;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The copies of {@code topic.json} beside the records, at {@code logs/<topic id>/topic.json}. A topic with a copy that
 * was not deleted exists, even while {@code topics/<name>} is missing. Safe for many threads.
 */
final class TopicCopies {
    private static final System.Logger LOG = System.getLogger(TopicCopies.class.getName());

    private final Disk disk;
    private final Layout layout;
    private final TopicNames.Deleted deleted;
    /** The names in the copies that were read, by id. Neither ever changes. */
    private final Map<TopicId, TopicName> names = new ConcurrentHashMap<>();

    TopicCopies(Disk disk, Layout layout, TopicNames.Deleted deleted) {
        this.disk = disk;
        this.layout = layout;
        this.deleted = deleted;
    }

    /** The ids that have a folder in {@code logs/}. */
    static List<TopicId> ids(Disk disk, Layout layout) throws IOException {
        List<TopicId> ids = new ArrayList<>();
        for (String name : disk.list(layout.logs())) {
            id(name).ifPresent(ids::add);
        }
        return ids;
    }

    /** The id in a folder's name; empty if the folder is not Muster's. */
    static Optional<TopicId> id(String name) {
        try {
            TopicId id = TopicId.parse(name);
            return id.toString().equals(name) ? Optional.of(id) : Optional.empty();
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** The copy; empty if it is missing or damaged. */
    Optional<Topic> read(TopicId id) throws IOException {
        Path file = layout.topicCopy(id);
        try {
            Topic topic = TopicFile.parse(file, disk.readAll(file));
            if (!topic.id().equals(id)) {
                return Optional.empty();
            }
            names.put(id, topic.name());
            return Optional.of(topic);
        } catch (NoSuchFileException | NotDirectoryException e) {
            return Optional.empty();
        } catch (MusterException e) {
            LOG.log(System.Logger.Level.DEBUG, "a copy of topic.json is skipped: {0}", e.getMessage());
            return Optional.empty();
        }
    }

    /** The topic of this name that has a copy and was not deleted; the newest one if there are several. */
    Optional<Topic> find(TopicName name) throws IOException {
        Optional<Topic> newest = Optional.empty();
        for (TopicId id : ids(disk, layout)) {
            TopicName known = names.get(id);
            // A deletion is recorded before the folder is deleted. So the record is read first, and then the copy.
            if (known != null && !known.equals(name) || deleted.has(id)) {
                continue;
            }
            Optional<Topic> copy = read(id).filter(topic -> topic.name().equals(name));
            boolean newer = copy.isPresent()
                    && (newest.isEmpty()
                            || copy.get().createdAt().isAfter(newest.get().createdAt()));
            newest = newer ? copy : newest;
        }
        return newest;
    }

    /** The names of topics that have a copy and were not deleted, except those with these ids. */
    Set<TopicName> namesBeside(Set<TopicId> known) throws IOException {
        Set<TopicName> beside = new HashSet<>();
        for (TopicId id : ids(disk, layout)) {
            if (!known.contains(id) && !deleted.has(id)) {
                read(id).map(Topic::name).ifPresent(beside::add);
            }
        }
        return beside;
    }

    boolean exists(TopicId id) {
        return disk.exists(layout.topicCopy(id));
    }

    /** Writes the topic into the copy. The copy is durable when this returns. */
    void write(Topic topic) throws IOException {
        Path draft = layout.drafts().resolve(disk.machine().newId() + ".json");
        try {
            disk.writeDurably(draft, TopicFile.toJson(topic));
            disk.rename(draft, layout.topicCopy(topic.id()));
        } finally {
            disk.delete(draft);
        }
        disk.syncFolder(layout.log(topic.id()));
        names.put(topic.id(), topic.name());
    }

    /**
     * Writes the copy of a topic that has none. A failure does not fail the caller, because the next round tries again.
     */
    void writeIfMissing(Topic topic) {
        try {
            if (!exists(topic.id()) && disk.exists(layout.log(topic.id()))) {
                write(topic);
            }
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "no copy of topic.json yet: {0}", e.getMessage());
        }
    }
}
