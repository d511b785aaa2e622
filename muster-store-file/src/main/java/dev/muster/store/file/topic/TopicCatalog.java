package dev.muster.store.file.topic;

import dev.muster.core.InvalidNameException;
import dev.muster.core.MusterException;
import dev.muster.core.Topic;
import dev.muster.core.TopicId;
import dev.muster.core.TopicName;
import dev.muster.disk.Disk;
import dev.muster.store.StoreIoException;
import dev.muster.store.file.layout.Layout;
import dev.muster.store.file.layout.StoreFormat;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/** The topics of a directory as they are on disk, for tools that read it without opening the store. */
public final class TopicCatalog {
    /** The topics, and the files about topics that cannot be understood. */
    public record Contents(boolean isStore, List<Topic> topics, Map<Path, String> unreadable) {}

    private TopicCatalog() {}

    /** All topics except deleted ones, including those whose {@code topic.json} is missing. */
    public static Contents read(Disk disk, Layout layout, UUID bootId) throws IOException {
        DeletionMarks marks = new DeletionMarks() {
            @Override
            public boolean has(TopicId topic) throws IOException {
                return TopicHandle.isMarkedDeleted(disk, layout.topicPage(topic, bootId));
            }

            @Override
            public void set(TopicId topic) {
                throw new IllegalStateException("a tool must not delete topics");
            }
        };
        Contents named = read(disk, layout, marks);
        try {
            for (Topic topic : names(disk, layout, marks).list()) {
                if (named.topics().stream().noneMatch(known -> known.id().equals(topic.id()))) {
                    named.topics().add(topic);
                }
            }
        } catch (MusterException e) {
            // A file cannot be understood. It is listed as unreadable.
            assert !named.unreadable().isEmpty() : e;
        }
        return named;
    }

    public static Contents read(Disk disk, Layout layout) throws IOException {
        return read(disk, layout, DeletionMarks.NONE);
    }

    private static TopicNames names(Disk disk, Layout layout, DeletionMarks marks) {
        DeletedTopics deletions = new DeletedTopics(disk, layout.deletedTopics());
        return new TopicNames(disk, layout, deletions, marks, true);
    }

    /** The identity of the store, read without opening it. */
    public static UUID clusterId(Disk disk, Layout layout) {
        try {
            return StoreFormat.open(disk, layout).clusterId();
        } catch (IOException e) {
            throw new StoreIoException("cannot read " + layout.musterJson() + ": " + e.getMessage(), e);
        }
    }

    /** The folders with records of no known topic, because the topic's files are missing or damaged. Sorted. */
    public static List<Path> recordsWithoutTopic(Disk disk, Layout layout, UUID bootId) throws IOException {
        // The segments are listed first: a folder gets segments after its topic exists, and a deletion is recorded
        // before the folder is deleted.
        List<TopicId> withSegments = new ArrayList<>();
        for (TopicId id : TopicCopies.ids(disk, layout)) {
            if (hasSegments(disk, layout.log(id))) {
                withSegments.add(id);
            }
        }
        List<TopicId> known =
                read(disk, layout, bootId).topics().stream().map(Topic::id).toList();
        DeletedTopics deletions = new DeletedTopics(disk, layout.deletedTopics());
        List<Path> found = new ArrayList<>();
        for (TopicId id : withSegments) {
            boolean deleted = deletions.has(id) || TopicHandle.isMarkedDeleted(disk, layout.topicPage(id, bootId));
            if (!known.contains(id) && !deleted) {
                found.add(layout.log(id));
            }
        }
        found.sort(null);
        return found;
    }

    /** True if a partition in the folder of a topic has a segment. */
    static boolean hasSegments(Disk disk, Path log) throws IOException {
        for (String partition : disk.list(log)) {
            for (String file : disk.list(log.resolve(partition))) {
                if (file.endsWith(".log")) {
                    return true;
                }
            }
        }
        return false;
    }

    /** The text of {@code topic.json}. */
    public static byte[] toJson(Topic topic) {
        return TopicFile.toJson(topic).getBytes(StandardCharsets.UTF_8);
    }

    private static Contents read(Disk disk, Layout layout, DeletionMarks marks) throws IOException {
        List<Topic> topics = new ArrayList<>();
        Map<Path, String> unreadable = new TreeMap<>();
        if (!disk.exists(layout.musterJson())) {
            return new Contents(false, topics, unreadable);
        }
        try {
            StoreFormat.open(disk, layout);
        } catch (MusterException e) {
            unreadable.put(layout.musterJson(), e.getMessage());
        }
        TopicNames names = names(disk, layout, marks);
        for (String name : disk.list(layout.topics()).stream().sorted().toList()) {
            try {
                names.find(new TopicName(name)).ifPresent(topics::add);
            } catch (InvalidNameException e) {
                unreadable.put(layout.topics().resolve(name), "not a topic: " + e.getMessage());
            } catch (MusterException e) {
                unreadable.put(layout.topics().resolve(name).resolve("topic.json"), e.getMessage());
            }
        }
        return new Contents(true, topics, unreadable);
    }
}
