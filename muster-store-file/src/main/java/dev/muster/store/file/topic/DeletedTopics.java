package dev.muster.store.file.topic;

import dev.muster.core.TopicId;
import dev.muster.disk.Disk;
import dev.muster.store.Topic;
import dev.muster.store.file.layout.DeletionLog;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;

/**
 * {@code .coordinator/deleted-topics.jsonl}: which topics were deleted, for ever. A line is appended and synced before
 * any file of the topic goes. Without a line here a topic whose files are missing counts as not to be seen now.
 *
 * <p>A second line, {@code buried}, follows when the records have left {@code logs/}. Files of that id which appear
 * afterwards were restored by a person: no process deletes them. Safe for many threads.
 */
public final class DeletedTopics {
    private final DeletionLog lines;

    public DeletedTopics(Disk disk, Path file) {
        this.lines = new DeletionLog(disk, file);
    }

    /** True if the topic was deleted. What this process has read once it does not forget. */
    public boolean has(TopicId topic) throws IOException {
        return lines.has(topic.value());
    }

    boolean isBuried(TopicId topic) throws IOException {
        return lines.isBuried(topic.value());
    }

    /** Another directory is in the place of the one that this was read from. */
    public void forget() {
        lines.forget();
    }

    /** Number of lines that cannot be understood; a last one without its end is one. */
    int invalidLines() throws IOException {
        return lines.invalidLines();
    }

    /** Durable when this returns. */
    void record(Topic topic, Instant now) throws IOException {
        lines.record(topic.id().value(), topic.name().value(), now);
    }

    /** Not synced: a power cut may take this line, and an unfinished deletion is finished again. */
    void recordBuried(TopicId topic) throws IOException {
        lines.recordBuried(topic.value());
    }
}
