package dev.muster.store.file.topic;

import dev.muster.core.Counts;
import dev.muster.core.InvalidNameException;
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
import dev.muster.store.TopicNotFoundException;
import dev.muster.store.file.layout.Layout;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Makes, finds, changes and deletes topics in the directory. Whole folders appear and vanish by one rename. */
public final class TopicFolders {
    private static final System.Logger LOG = System.getLogger(TopicFolders.class.getName());
    private static final String TAKEN = ".taken-topic";
    private static final String GRAVE = ".topic";
    private static final String LOGS_GRAVE = ".logs";

    private final Disk disk;
    private final Layout layout;
    private final Clock clock;
    private final DeletedTopics deletions;
    private final Marks marks;
    private final Deleted deleted;
    private final TopicCopies copies;
    private final boolean readOnly;

    /** The marks by which the processes of this boot hear at once that a topic was deleted. */
    public interface Marks {
        /** No marks: for tools that look without opening the store. */
        Marks NONE = new Marks() {
            @Override
            public boolean has(TopicId topic) {
                return false;
            }

            @Override
            public void set(TopicId topic) {
                throw new IllegalStateException("a tool deletes no topic");
            }
        };

        boolean has(TopicId topic) throws IOException;

        void set(TopicId topic) throws IOException;
    }

    /** Tells of a topic whether it was deleted. */
    interface Deleted {
        boolean has(TopicId topic) throws IOException;
    }

    public TopicFolders(Disk disk, Layout layout, Clock clock, DeletedTopics deletions, Marks marks, boolean readOnly) {
        this.disk = disk;
        this.layout = layout;
        this.clock = clock;
        this.deletions = deletions;
        this.marks = marks;
        this.deleted = id -> marks.has(id) || deletions.has(id);
        this.copies = new TopicCopies(disk, layout, deleted);
        this.readOnly = readOnly;
    }

    public Topic create(TopicName name, int partitions, TopicSettings settings) throws IOException {
        if (find(name).isPresent()) {
            throw new TopicExistsException(name.value());
        }
        if (disk.exists(layout.topic(name)) && !finishDelete(name)) {
            checkFolderIsFree(name);
        }
        Topic topic = new Topic(name, new TopicId(disk.machine().newId()), partitions, settings, clock.instant());
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
        // Last: with a copy the topic exists, and one that lost the race for its name must not.
        try {
            copies.write(topic);
        } catch (NoSuchFileException e) {
            if (!deleted.has(topic.id())) {
                throw e;
            }
        }
        return topic;
    }

    /** A folder without a topic in it may be what is left of one that an earlier version made, without a copy. */
    private void checkFolderIsFree(TopicName name) throws IOException {
        if (!disk.list(layout.topic(name)).isEmpty()) {
            throw new TopicExistsException(name.value());
        }
        Set<TopicId> named = new HashSet<>();
        for (String other : disk.list(layout.topics())) {
            readNamed(new TopicName(other)).map(Topic::id).ifPresent(named::add);
        }
        for (TopicId id : TopicCopies.ids(disk, layout)) {
            if (!named.contains(id) && !copies.exists(id) && !deleted.has(id)) {
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

    /** The topic of this name, from the copy beside its records where {@code topic.json} is missing or damaged. */
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

    private Optional<Topic> readNamed(TopicName name) throws IOException {
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
     * Partitions only ever grow in number. The folders outrank the file, which a slow process may have written late.
     */
    private Topic withAllPartitions(Topic topic) {
        int partitions = topic.partitions();
        while (disk.exists(layout.partition(topic.id(), partitions))) {
            partitions++;
        }
        return new Topic(topic.name(), topic.id(), partitions, topic.settings(), topic.createdAt());
    }

    /** Also a topic that is marked as deleted while its name is still there: its deletion was begun, not finished. */
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

    /** Writes the missing {@code topic.json} anew from its copy. A file that appears meanwhile stays. */
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

    /** Writes {@code topic.json} at its name, whatever is there. For a repair. */
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

    /** The topic as its {@code topic.json} says, which may count fewer partitions than there are. */
    Topic inFile(Topic topic) throws IOException {
        Path file = layout.topicJson(topic.name());
        return TopicFile.parse(file, disk.readAll(file));
    }

    /** Writes the copy of a topic that has none, as in a directory of an earlier version. */
    public void copyIfMissing(Topic topic) {
        copies.writeIfMissing(topic);
    }

    public List<Topic> list() throws IOException {
        Map<TopicName, Topic> found = new TreeMap<>();
        for (String name : disk.list(layout.topics())) {
            try {
                find(new TopicName(name)).ifPresent(topic -> found.put(topic.name(), topic));
            } catch (InvalidNameException e) {
                // Not ours: a foreign file lies there.
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
            before = find(name).orElseThrow(() -> noTopic(name));
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
            if (find(name).isEmpty()) {
                throw noTopic(name);
            }
            if (before != null && deleted.has(before.id())) {
                // There is another topic of this name by now, which this change was not for.
                throw new TopicDeletedException(name.value());
            }
            throw e;
        }
    }

    /** Makes the deletion of a topic a fact, before anything of the topic goes. Durable when this returns. */
    public void recordDeletion(Topic topic) throws IOException {
        if (!deletions.has(topic.id())) {
            deletions.record(topic, clock.instant());
        }
    }

    /**
     * The topic is marked as deleted: takes its name away, then its records. By now the name may belong to a topic made
     * anew: what was taken is looked at before it is thrown away.
     */
    public void delete(Topic topic) throws IOException {
        try (DiskFile _ = PoliteLock.take(disk, layout.topicsLock())) {
            Path taken = layout.drafts().resolve(disk.machine().newId() + TAKEN);
            disk.rename(layout.topic(topic.name()), taken);
            Optional<TopicId> settled = settle(taken);
            if (settled.isPresent() && !settled.get().equals(topic.id())) {
                throw noTopic(topic.name());
            }
        } catch (NoSuchFileException e) {
            // Without a name file the records are what is left of the topic.
            if (!disk.exists(layout.log(topic.id()))) {
                throw noTopic(topic.name());
            }
        }
        disk.syncFolder(layout.topics());
        disk.syncFolder(layout.trash());
        try {
            bury(topic.id());
        } catch (IOException e) {
            // It is deleted; what is left of it goes with the next round of housekeeping.
            LOG.log(System.Logger.Level.DEBUG, "left in the trash: {0}", e.getMessage());
        }
    }

    /**
     * A folder that was taken from its place: to the trash with it, or back when it is not a deleted topic's.
     *
     * @return the topic it belongs to; empty if its {@code topic.json} is missing or damaged
     */
    private Optional<TopicId> settle(Path taken) throws IOException {
        Path json = taken.resolve(Layout.TOPIC_JSON);
        Topic topic;
        try {
            topic = TopicFile.parse(json, disk.readAll(json));
        } catch (NoSuchFileException | StoreIoException e) {
            // A topic that exists has a copy, from which its name is restored.
            disk.rename(taken, layout.trash().resolve(disk.machine().newId() + GRAVE));
            LOG.log(System.Logger.Level.DEBUG, "a folder without a topic went to the trash: {0}", e.getMessage());
            return Optional.empty();
        }
        if (deleted.has(topic.id())) {
            disk.rename(taken, layout.trash().resolve(topic.id() + GRAVE));
        } else {
            giveBack(taken, topic);
        }
        return Optional.of(topic.id());
    }

    private void giveBack(Path taken, Topic topic) throws IOException {
        try {
            disk.rename(taken, layout.topic(topic.name()));
        } catch (FileAlreadyExistsException | DirectoryNotEmptyException e) {
            Optional<Topic> there = readNamed(topic.name());
            if (there.isEmpty() || !there.get().id().equals(topic.id())) {
                throw e;
            }
            // Its name was restored from the copy meanwhile.
            disk.rename(taken, layout.trash().resolve(disk.machine().newId() + GRAVE));
        }
    }

    /** @return True if the topic of this name was one whose deletion was begun; now it is over */
    private boolean finishDelete(TopicName name) throws IOException {
        Optional<Topic> there;
        try {
            there = readNamed(name);
        } catch (StoreIoException e) {
            LOG.log(System.Logger.Level.DEBUG, "topic {0} is passed over: {1}", name, e.getMessage());
            return false;
        }
        // The page of a boot is not enough to take files away: it may be damaged.
        if (there.isEmpty() || !deletions.has(there.get().id())) {
            return false;
        }
        try {
            delete(there.get());
        } catch (TopicNotFoundException e) {
            // The process that began it came to its end.
            LOG.log(System.Logger.Level.DEBUG, "topic {0} was deleted meanwhile", name);
        }
        return true;
    }

    /** Finishes what processes that died in the middle of a delete have left, and keeps the copies up to date. */
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
                // Not ours: a foreign file lies there.
                continue;
            }
        }
        for (TopicId id : TopicCopies.ids(disk, layout)) {
            if (deletions.has(id)) {
                bury(id);
            }
        }
        emptyTrash();
    }

    private void refreshCopy(TopicName name) throws IOException {
        try {
            Optional<Topic> topic = readNamed(name);
            if (topic.isPresent()
                    && disk.exists(layout.log(topic.get().id()))
                    && !copies.read(topic.get().id()).equals(topic)) {
                copies.write(topic.get());
            }
        } catch (NoSuchFileException e) {
            // It is being deleted.
            LOG.log(System.Logger.Level.DEBUG, "no copy of topic {0}: {1}", name, e.getMessage());
        } catch (StoreIoException e) {
            LOG.log(System.Logger.Level.DEBUG, "topic {0} is passed over: {1}", name, e.getMessage());
        }
    }

    private void settleLeft(Path taken) throws IOException {
        try {
            var _ = settle(taken);
        } catch (NoSuchFileException e) {
            // Its taker is not dead but slow, and did it.
            assert !disk.exists(taken) : e;
        } catch (FileAlreadyExistsException | DirectoryNotEmptyException e) {
            // Its name has gone to another topic. No process looks for it here, and nothing is deleted by mistake.
            LOG.log(System.Logger.Level.DEBUG, "left in the drafts: {0}", e.getMessage());
        }
    }

    private void emptyTrash() throws IOException {
        for (String name : disk.list(layout.trash())) {
            if (name.endsWith(GRAVE) || name.endsWith(LOGS_GRAVE)) {
                finishBurial(layout.trash().resolve(name), name.substring(0, name.indexOf('.')));
            }
        }
    }

    private void finishBurial(Path grave, String id) throws IOException {
        Optional<TopicId> topic = TopicCopies.id(id);
        if (topic.isPresent() && deleted.has(topic.get())) {
            bury(topic.get());
        }
        disk.deleteTree(grave);
    }

    /** Takes the records of a deleted topic away, once: what appears under its id afterwards was restored. */
    private void bury(TopicId id) throws IOException {
        Path logs = layout.log(id);
        Path grave = layout.trash().resolve(id + LOGS_GRAVE);
        if (disk.exists(logs) && !deletions.isBuried(id)) {
            try {
                // The process that began the deletion may have died before it told the others.
                marks.set(id);
                disk.rename(logs, grave);
            } catch (NoSuchFileException e) {
                // Another process buries it at the same time.
                assert !disk.exists(logs) : e;
            }
        }
        if (!disk.exists(logs) && deletions.has(id)) {
            deletions.recordBuried(id);
        }
        disk.deleteTree(grave);
        disk.deleteTree(layout.trash().resolve(id + GRAVE));
    }

    /** The error for a topic that is not there. */
    public static TopicNotFoundException noTopic(TopicName name) {
        return new TopicNotFoundException("topic \"" + name + "\"");
    }
}
