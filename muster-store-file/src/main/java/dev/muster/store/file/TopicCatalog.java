package dev.muster.store.file;

import dev.muster.core.InvalidNameException;
import dev.muster.core.MusterException;
import dev.muster.core.TopicName;
import dev.muster.store.Topic;
import dev.muster.store.file.disk.Disk;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The topics of a directory as they are on disk, for tools that look without opening the store. */
public final class TopicCatalog {
    /** What is there, and which files about topics cannot be understood. */
    public record Contents(boolean isStore, List<Topic> topics, Map<Path, String> unreadable) {}

    private TopicCatalog() {}

    public static Contents read(Disk disk, Layout layout) throws IOException {
        List<Topic> topics = new ArrayList<>();
        Map<Path, String> unreadable = new TreeMap<>();
        if (!disk.exists(layout.musterJson())) {
            return new Contents(false, topics, unreadable);
        }
        try {
            StoreFormat.openOrCreate(disk, layout, true, false);
        } catch (MusterException e) {
            unreadable.put(layout.musterJson(), e.getMessage());
        }
        DeletedTopics deletions = new DeletedTopics(disk, layout.deletedTopics());
        TopicFolders folders =
                new TopicFolders(disk, layout, Clock.systemUTC(), deletions, TopicFolders.Marks.NONE, true);
        for (String name : disk.list(layout.topics()).stream().sorted().toList()) {
            try {
                folders.find(new TopicName(name)).ifPresent(topics::add);
            } catch (InvalidNameException e) {
                unreadable.put(layout.topics().resolve(name), "not a topic: " + e.getMessage());
            } catch (MusterException e) {
                unreadable.put(layout.topics().resolve(name).resolve("topic.json"), e.getMessage());
            }
        }
        return new Contents(true, topics, unreadable);
    }
}
