package dev.muster.store.file;

import dev.muster.core.MusterException;
import dev.muster.core.SyncLevel;
import dev.muster.core.Topic;
import dev.muster.core.TopicId;
import dev.muster.core.TopicName;
import dev.muster.core.TopicSettings;
import dev.muster.disk.NoRoomException;
import dev.muster.store.LogStore;
import dev.muster.store.TopicNotFoundException;
import dev.muster.store.file.log.FilePartition;
import dev.muster.store.file.log.Waker;
import dev.muster.store.file.room.DiskPressure;
import dev.muster.store.file.topic.TopicFolders;
import dev.muster.store.file.topic.TopicHandles;
import dev.muster.store.file.topic.TopicNames;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * The topics of an open store. A change of topics or partitions is announced to all processes twice, before and after
 * it is made. After the first announcement a process looks again later, in case the process that makes the change dies
 * before it is done. Safe for many threads.
 */
final class FileTopics {
    private static final System.Logger LOG = System.getLogger(FileTopics.class.getName());

    private final StoreAccess access;
    private final DirectoryIdentity directory;
    private final TopicHandles handles;
    private final TopicFolders folders;
    private final OpenPartitions partitions;
    private final DiskPressure pressure;
    private final Waker waker;

    /** Changes of topics, as counted at the last check of the pages. */
    private long checkedChanges;

    FileTopics(
            StoreAccess access,
            DirectoryIdentity directory,
            TopicHandles handles,
            OpenPartitions partitions,
            DiskPressure pressure,
            Waker waker) {
        this.access = access;
        this.directory = directory;
        this.handles = handles;
        this.folders = handles.folders();
        this.partitions = partitions;
        this.pressure = pressure;
        this.waker = waker;
    }

    Optional<Topic> find(TopicName name) {
        access.checkOpen();
        return StoreAccess.io("read topic " + name, () -> handles.find(name));
    }

    List<Topic> list() {
        access.checkOpen();
        return StoreAccess.io("list topics", handles::list);
    }

    int partitions(TopicId topic) {
        access.checkOpen();
        return StoreAccess.io("open topic " + topic, () -> handles.get(topic)).partitions();
    }

    boolean isDeleted(TopicId topic) {
        access.checkOpen();
        return StoreAccess.io("look up topic " + topic, () -> handles.isDeleted(topic));
    }

    // ---- changes

    Topic create(TopicName name, int count, TopicSettings settings) {
        access.checkWritable("create a topic");
        checkCount(count);
        return StoreAccess.io("create topic " + name, () -> {
            directory.checkReplaced();
            announce();
            handles.checkNameIsFree(name);
            pressure.admit(0);
            Topic created = folders.create(name, count, settings);
            announce();
            return created;
        });
    }

    Topic addPartitions(TopicName name, int count) {
        access.checkWritable("add partitions");
        checkCount(count);
        return StoreAccess.io("add partitions to " + name, () -> {
            announce();
            pressure.admit(0);
            Topic changed = folders.addPartitions(name, count);
            handles.shared(changed).announce(count);
            announce();
            return changed;
        });
    }

    private static void checkCount(int partitions) {
        if (partitions < 1 || partitions > LogStore.PARTITIONS_MAX) {
            throw new MusterException(
                    "a topic has 1 to " + LogStore.PARTITIONS_MAX + " partitions, not " + partitions,
                    "choose a number in that range");
        }
    }

    Topic alter(TopicName name, TopicSettings settings) {
        access.checkWritable("alter a topic");
        return access.evenWhenFull("alter topic " + name, () -> {
            Topic changed = folders.alter(name, settings);
            if (settings.sync() == SyncLevel.COMMIT) {
                // What was visible must be durable before visible means durable.
                for (int i = 0; i < changed.partitions(); i++) {
                    access.checkOpen();
                    partitions.get(changed.id(), i).sync();
                }
            }
            handles.shared(changed).announce(changed.partitions());
            announce();
            return changed;
        });
    }

    void delete(TopicName name) {
        access.checkWritable("delete a topic");
        boolean[] first = new boolean[1];
        access.evenWhenFull("delete topic " + name, () -> {
            directory.checkReplaced();
            Topic topic = folders.names().findEvenDeleted(name).orElseThrow(() -> TopicNames.noTopic(name));
            announce();
            boolean recorded = recordDeletionIfRoom(topic);
            // Then the mark for all processes that have it open: nothing is acknowledged from here on.
            first[0] |= handles.markDeleted(topic);
            for (int i = 0; i < topic.partitions(); i++) {
                waker.publish(FilePartition.wakeWord(partitions.key(topic.id(), i)));
            }
            try {
                folders.removal().delete(topic);
            } catch (TopicNotFoundException e) {
                // Another process finished the deletion that this process began.
                if (!first[0]) {
                    throw e;
                }
            }
            if (!recorded) {
                recordDeletion(topic);
            }
            announce();
            partitions.closeAll(topic.id());
            return null;
        });
    }

    private void recordDeletion(Topic topic) throws IOException {
        pressure.evenWhenFull(() -> {
            folders.removal().recordDeletion(topic);
            return null;
        });
    }

    /** @return false if the disk is full; the deletion of the records will make room */
    private boolean recordDeletionIfRoom(Topic topic) throws IOException {
        try {
            recordDeletion(topic);
            return true;
        } catch (NoRoomException e) {
            LOG.log(System.Logger.Level.DEBUG, "topic {0} is deleted first: {1}", topic.name(), e.getMessage());
            return false;
        }
    }

    /** Makes all processes look at the topics again. */
    void announce() {
        waker.publish(Waker.TOPICS);
    }

    // ---- housekeeping

    /**
     * Checks that the pages of topics have their names. It costs nothing if no topic was changed since the last call.
     */
    void checkPages() throws IOException {
        long now = waker.count(Waker.TOPICS);
        if (now != checkedChanges) {
            handles.checkPages();
            checkedChanges = now;
        }
    }

    /** Finishes deletions. First it checks whether the deleted files are in this directory. */
    void tidy() throws IOException {
        directory.checkReplaced();
        folders.removal().tidy();
    }
}
