package dev.muster.store.file.topic;

import dev.muster.core.Topic;
import dev.muster.core.TopicId;
import dev.muster.disk.Disk;
import dev.muster.store.file.layout.DeletionLog;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;

/**
 * {@code .coordinator/deleted-topics.jsonl}: the topics that were deleted, for ever. A line is appended and synced
 * before any file of the topic is deleted. A topic without a line here whose files are missing is not deleted: it only
 * cannot be used now.
 *
 * <p>A second line, {@code buried}, follows when the records have been moved out of {@code logs/}. Files of that id
 * that appear afterwards were restored by a person, and no process deletes them. Safe for many threads.
 */
public final class DeletedTopics {
    private final DeletionLog lines;

    public DeletedTopics(Disk disk, Path file) {
        this.lines = new DeletionLog(disk, file);
    }

    /** True if the topic was deleted. A line that this process has read once stays known. */
    public boolean has(TopicId topic) throws IOException {
        return lines.has(topic.value());
    }

    boolean isBuried(TopicId topic) throws IOException {
        return lines.isBuried(topic.value());
    }

    /** Drops all lines after another directory took the place of the one that they were read from. */
    public void forget() {
        lines.forget();
    }

    /** The number of lines that cannot be understood, including a last line without its end. */
    int invalidLines() throws IOException {
        return lines.invalidLines();
    }

    /** Records a deletion. The line is durable when this returns. */
    void record(Topic topic, Instant now) throws IOException {
        lines.record(topic.id().value(), topic.name().value(), now);
    }

    /**
     * Records that the files were moved away. The line is not synced: if it is lost in a power cut, the deletion is
     * finished again.
     */
    void recordBuried(TopicId topic) throws IOException {
        lines.recordBuried(topic.value());
    }
}
