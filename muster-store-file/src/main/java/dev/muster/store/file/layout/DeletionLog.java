package dev.muster.store.file.layout;

import dev.muster.core.MusterException;
import dev.muster.disk.Disk;
import dev.muster.disk.DiskFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A file of lines that record deletions for ever: {@code {"deleted":"<id>",…}}. A line is appended and synced before
 * any file of the id is deleted.
 *
 * <p>A second line, {@code buried}, may follow when the files have been moved away. Safe for many threads.
 */
public final class DeletionLog {
    private static final String DELETED = "deleted";
    private static final String BURIED = "buried";

    private final Disk disk;
    private final Path file;
    private final Set<UUID> deleted = ConcurrentHashMap.newKeySet();
    private final Set<UUID> buried = ConcurrentHashMap.newKeySet();
    private long readTo;
    private int invalid;

    public DeletionLog(Disk disk, Path file) {
        this.disk = disk;
        this.file = file;
    }

    /** True if a line records the deletion. A line that this process has read once stays known. */
    public boolean has(UUID id) throws IOException {
        if (!deleted.contains(id)) {
            readOn();
        }
        return deleted.contains(id);
    }

    public boolean isBuried(UUID id) throws IOException {
        if (!buried.contains(id)) {
            readOn();
        }
        return buried.contains(id);
    }

    /** The number of lines that cannot be understood, including a last line without its end. */
    public synchronized int invalidLines() throws IOException {
        readOn();
        return disk.exists(file) && disk.size(file) > readTo ? invalid + 1 : invalid;
    }

    /** Records a deletion. The line is durable when this returns. */
    public void record(UUID id, String name, Instant now) throws IOException {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put(DELETED, id.toString());
        line.put("name", name);
        line.put("at", now.toString());
        append(line, true);
        deleted.add(id);
    }

    /**
     * Records that the files were moved away. The line is not synced: if it is lost in a power cut, the deletion is
     * finished again.
     */
    public void recordBuried(UUID id) throws IOException {
        if (!isBuried(id)) {
            append(Map.of(BURIED, id.toString()), false);
            buried.add(id);
        }
    }

    private void append(Map<String, Object> members, boolean sync) throws IOException {
        // A newline comes first, because the line before may be torn. Empty lines are skipped.
        byte[] line = ("\n" + ChecksummedJson.write(members)).getBytes(StandardCharsets.UTF_8);
        try (DiskFile lines = disk.openForAppend(file)) {
            lines.append(line, 0, line.length);
            if (sync) {
                lines.sync();
                disk.syncFolder(file.getParent());
            }
        }
    }

    /** Drops all lines after another directory took the place of the one that they were read from. */
    public synchronized void forget() {
        deleted.clear();
        buried.clear();
        readTo = 0;
        invalid = 0;
    }

    private synchronized void readOn() throws IOException {
        if (!disk.exists(file) || disk.size(file) == readTo) {
            return;
        }
        try (DiskFile lines = disk.open(file)) {
            long size = lines.size();
            if (size < readTo) {
                // It is another file, or a damaged one, so it is read from its start.
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
            // The file was deleted since. The lines that were read stay known.
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
                deleted.add(UUID.fromString(id));
            } else if (members.get(BURIED) instanceof String id) {
                buried.add(UUID.fromString(id));
            }
        } catch (ClassCastException | IllegalArgumentException | MusterException e) {
            // A torn write, or damage: the id of this line counts as not deleted, so no data is lost.
            invalid++;
        }
    }
}
