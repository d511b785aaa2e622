package dev.muster.store.file.topic;

import dev.muster.core.Topic;
import dev.muster.core.TopicId;
import dev.muster.core.TopicName;
import dev.muster.disk.Disk;
import dev.muster.store.StoreIoException;
import dev.muster.store.TopicDeletedException;
import dev.muster.store.TopicNotFoundException;
import dev.muster.store.file.layout.Layout;
import dev.muster.store.file.log.DiskErrors;
import dev.muster.store.runtime.StoreRuntime;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The topics that this process has looked up or opened, each with the page that shows its changes to all processes.
 * Safe for many threads.
 */
public final class TopicHandles {
    private final Disk disk;
    private final Layout layout;
    private final UUID bootId;
    private final StoreRuntime runtime;
    private final boolean readOnly;
    private final Runnable usable;
    private final DeletedTopics deletions;
    private final TopicFolders folders;
    private final TopicNames topics;
    /** The names of topics that were looked up. A topic keeps its name, and an id is never used again. */
    private final Map<TopicId, TopicName> names = new ConcurrentHashMap<>();

    private final Map<TopicId, TopicHandle> handles = new ConcurrentHashMap<>();

    /** @param usable the check that throws if the store must not be used any more */
    public TopicHandles(
            Disk disk, Layout layout, UUID bootId, StoreRuntime runtime, boolean readOnly, Runnable usable) {
        this.disk = disk;
        this.layout = layout;
        this.bootId = bootId;
        this.runtime = runtime;
        this.readOnly = readOnly;
        this.usable = usable;
        this.deletions = new DeletedTopics(disk, layout.deletedTopics());
        this.folders = new TopicFolders(disk, layout, runtime, deletions, marks(), readOnly);
        this.topics = folders.names();
    }

    /** The marks on the pages of this boot. */
    private DeletionMarks marks() {
        return new DeletionMarks() {
            @Override
            public boolean has(TopicId topic) throws IOException {
                return isMarkedDeleted(topic);
            }

            @Override
            public void set(TopicId topic) throws IOException {
                TopicHandle.markDeleted(disk, page(topic), 0);
            }
        };
    }

    /** The topics in the directory, which these handles are for. */
    public TopicFolders folders() {
        return folders;
    }

    // ---- names

    public Optional<Topic> find(TopicName name) throws IOException {
        Optional<Topic> found = topics.find(name);
        found.ifPresent(this::notice);
        return found;
    }

    public List<Topic> list() throws IOException {
        List<Topic> found = topics.list();
        found.forEach(this::notice);
        return found;
    }

    /** The first process that sees a change announces it, in case its maker failed half-way or died. */
    private void notice(Topic topic) {
        names.put(topic.id(), topic.name());
        TopicHandle handle = handles.get(topic.id());
        if (handle != null && !readOnly) {
            handle.notice(topic);
        }
    }

    /**
     * Throws if this process knows a topic of this name that was not deleted and whose files are missing. Such a topic
     * keeps its name.
     */
    public void checkNameIsFree(TopicName name) throws IOException {
        if (topics.find(name).isPresent()) {
            return;
        }
        for (Map.Entry<TopicId, TopicName> known : names.entrySet()) {
            if (known.getValue().equals(name) && !isDeleted(known.getKey())) {
                throw new StoreIoException(
                        "the files of topic \"" + name + "\" are missing in " + layout.topics() + " and "
                                + layout.log(known.getKey()) + ", and it was not deleted",
                        null);
            }
        }
    }

    // ---- handles

    /** The handle of a topic. */
    public TopicHandle get(TopicId id) throws IOException {
        TopicHandle known = handles.get(id);
        if (known != null) {
            return known;
        }
        TopicName name = names.get(id);
        if (name == null) {
            // One listing for all topics: a listing for each of them would take a time that grows with their square.
            topics.list().forEach(topic -> names.put(topic.id(), topic.name()));
            name = names.get(id);
        }
        Optional<Topic> found = name == null ? Optional.empty() : topics.find(name);
        return get(found.filter(topic -> topic.id().equals(id))
                .orElseThrow(() -> new TopicNotFoundException("topic with id " + id)));
    }

    /** The handle of a topic that was just looked up. */
    public TopicHandle get(Topic topic) throws IOException {
        TopicHandle known = handles.get(topic.id());
        if (known != null) {
            return known;
        }
        if (!readOnly) {
            topics.copyIfMissing(topic);
        }
        TopicHandle opened;
        try {
            opened = TopicHandle.open(disk, page(topic.id()), topic, runtime, readOnly, () -> reload(topic), usable);
        } catch (NoSuchFileException e) {
            if (!disk.exists(layout.log(topic.id())) && isDeleted(topic.id())) {
                throw new TopicNotFoundException("topic with id " + topic.id() + " (it was deleted)");
            }
            throw e;
        }
        TopicHandle raced = handles.putIfAbsent(topic.id(), opened);
        return raced != null ? raced : opened;
    }

    /**
     * The handle of a topic with the page that all processes share. The page takes room, once in a boot of the machine.
     */
    public TopicHandle shared(Topic topic) throws IOException {
        TopicHandle handle = get(topic);
        handle.share();
        return handle;
    }

    private Topic reload(Topic old) {
        try {
            Optional<Topic> now =
                    topics.find(old.name()).filter(topic -> topic.id().equals(old.id()));
            if (now.isEmpty() && isMarkedDeleted(old.id())) {
                throw new TopicDeletedException(old.name().value());
            }
            // If its files are missing for a moment, the known topic stays true.
            return now.orElse(old);
        } catch (IOException e) {
            throw DiskErrors.of("read topic " + old.name(), e);
        }
    }

    /**
     * The number of partitions in {@code topic.json}. The folders of new partitions exist before their maker announces
     * them, and it may die in between.
     */
    public int partitionsInFile(TopicHandle handle) {
        Topic now = reload(handle.topic());
        notice(now);
        return now.partitions();
    }

    /** Drops the handle of a topic whose files were replaced. The next caller opens it again. */
    public void forget(TopicId topic) {
        handles.remove(topic);
    }

    // ---- deletion

    /** True if a deletion of the topic was begun or recorded. */
    public boolean isDeleted(TopicId topic) throws IOException {
        return isMarkedDeleted(topic) || deletions.has(topic);
    }

    private boolean isMarkedDeleted(TopicId topic) throws IOException {
        TopicHandle known = handles.get(topic);
        return known != null ? known.isDeleted() : TopicHandle.isMarkedDeleted(disk, page(topic));
    }

    /**
     * Marks the topic as deleted for all processes that have it open.
     *
     * @return true if no other process did so before
     */
    public boolean markDeleted(Topic topic) throws IOException {
        if (!disk.exists(layout.log(topic.id()))) {
            // Its records are missing: only its name is left to delete.
            return true;
        }
        TopicHandle open = handles.get(topic.id());
        if (open != null) {
            open.share();
        }
        return TopicHandle.markDeleted(disk, page(topic.id()), topic.partitions());
    }

    /** Drops the known deletions after another directory, a restored one, took the place of the opened one. */
    public void forgetDeletions() {
        deletions.forget();
    }

    /** Drops the handles of topics that are marked as deleted. */
    public void forgetDeleted() {
        handles.values().removeIf(TopicHandle::isDeleted);
    }

    /** Makes each handle use the page that has its name. */
    public void checkPages() throws IOException {
        for (TopicHandle handle : handles.values()) {
            handle.look();
        }
    }

    private Path page(TopicId topic) {
        return layout.topicPage(topic, bootId);
    }
}
