package dev.muster.store.file;

import dev.muster.core.MusterException;
import dev.muster.core.TopicId;
import dev.muster.store.Topic;
import dev.muster.store.file.disk.Disk;
import dev.muster.store.file.disk.DiskFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * {@code .coordinator/deleted-topics.jsonl}: which topics were deleted, for ever. A line is appended and synced before
 * any file of the topic goes. Without a line here a topic whose files are missing counts as not to be seen now.
 *
 * <p>A second line, {@code buried}, follows when the records have left {@code logs/}. Files of that id which appear
 * afterwards were restored by a person: no process deletes them. Safe for many threads.
 */
final class DeletedTopics {
    private static final String DELETED = "deleted";
    private static final String BURIED = "buried";

    private final Disk disk;
    private final Path file;
    private final Set<TopicId> deleted = ConcurrentHashMap.newKeySet();
    private final Set<TopicId> buried = ConcurrentHashMap.newKeySet();
    private long readTo;
    private int invalid;

    DeletedTopics(Disk disk, Path file) {
        this.disk = disk;
        this.file = file;
    }

    /** True if the topic was deleted. What this process has read once it does not forget. */
    boolean has(TopicId topic) throws IOException {
        if (!deleted.contains(topic)) {
            readOn();
        }
        return deleted.contains(topic);
    }

    boolean isBuried(TopicId topic) throws IOException {
        if (!buried.contains(topic)) {
            readOn();
        }
        return buried.contains(topic);
    }

    /** Number of lines that cannot be understood; a last one without its end is one. */
    synchronized int invalidLines() throws IOException {
        readOn();
        return disk.exists(file) && disk.size(file) > readTo ? invalid + 1 : invalid;
    }

    /** Durable when this returns. */
    void record(Topic topic, Instant now) throws IOException {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put(DELETED, topic.id().toString());
        line.put("name", topic.name().value());
        line.put("at", now.toString());
        append(line, true);
        deleted.add(topic.id());
    }

    /** Not synced: a power cut may take this line, and an unfinished deletion is finished again. */
    void recordBuried(TopicId topic) throws IOException {
        if (!isBuried(topic)) {
            append(Map.of(BURIED, topic.toString()), false);
            buried.add(topic);
        }
    }

    private void append(Map<String, Object> members, boolean sync) throws IOException {
        // The line before may be torn: an empty line is skipped.
        byte[] line = ("\n" + ChecksummedJson.write(members)).getBytes(StandardCharsets.UTF_8);
        try (DiskFile lines = disk.openForAppend(file)) {
            lines.append(line, 0, line.length);
            if (sync) {
                lines.sync();
                disk.syncFolder(file.getParent());
            }
        }
    }

    private synchronized void readOn() throws IOException {
        if (!disk.exists(file) || disk.size(file) == readTo) {
            return;
        }
        try (DiskFile lines = disk.open(file)) {
            long size = lines.size();
            if (size < readTo) {
                // Another file, or a damaged one: read it from its start.
                readTo = 0;
                invalid = 0;
            }
            byte[] bytes = new byte[Math.toIntExact(size - readTo)];
            int count = lines.read(readTo, bytes, 0, bytes.length);
            int from = 0;
            for (int at = 0; at < count; at++) {
                if (bytes[at] == '\n') {
                    parse(Arrays.copyOfRange(bytes, from, at));
                    from = at + 1;
                }
            }
            readTo += from;
        } catch (NoSuchFileException e) {
            // It was deleted since: what was read of it stays known.
            readTo = 0;
        }
    }

    private void parse(byte[] line) {
        if (line.length == 0) {
            return;
        }
        try {
            Map<String, Object> members = ChecksummedJson.parse(line);
            if (members.get(DELETED) instanceof String id) {
                deleted.add(TopicId.parse(id));
            } else if (members.get(BURIED) instanceof String id) {
                buried.add(TopicId.parse(id));
            }
        } catch (ClassCastException | IllegalArgumentException | MusterException e) {
            // A torn write, or damage: the topic of this line counts as not deleted, which loses nothing.
            invalid++;
        }
    }
}
