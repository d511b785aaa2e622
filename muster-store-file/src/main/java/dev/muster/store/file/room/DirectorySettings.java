package dev.muster.store.file.room;

import dev.muster.core.MusterException;
import dev.muster.core.json.Json;
import dev.muster.disk.Disk;
import dev.muster.store.DiskState;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;

/**
 * {@code settings.json}: the settings of the whole directory, the same for all processes. Each process reads the file
 * again every second, so a change needs no restart. A file that cannot be read counts as missing, and is reported once.
 */
final class DirectorySettings {
    private static final System.Logger LOG = System.getLogger(DirectorySettings.class.getName());

    private final Disk disk;
    private final Path file;
    private volatile String reported = "";

    DirectorySettings(Disk disk, Path file) {
        this.disk = disk;
        this.file = file;
    }

    /** The value of {@link DiskState#MIN_FREE} in bytes; empty if it is not set and the default applies. */
    OptionalLong diskMinFree() {
        if (!disk.exists(file)) {
            return OptionalLong.empty();
        }
        try {
            if (!(Json.parse(new String(disk.readAll(file), StandardCharsets.UTF_8)) instanceof Map<?, ?> map)) {
                report("it is not an object in braces");
                return OptionalLong.empty();
            }
            Object value = map.get(DiskState.MIN_FREE);
            if (value == null) {
                return OptionalLong.empty();
            }
            if (value instanceof Long bytes && bytes >= 0) {
                return OptionalLong.of(bytes);
            }
            report(DiskState.MIN_FREE + " must be a whole number, 0 or more, it is " + Json.write(value));
        } catch (IOException | MusterException e) {
            report(e.getMessage());
        }
        return OptionalLong.empty();
    }

    /**
     * Changes a setting for all processes.
     *
     * @param draft the path of a temporary file that no other process writes
     */
    void setDiskMinFree(long bytes, Path draft) throws IOException {
        Map<String, Object> map = new LinkedHashMap<>();
        if (disk.exists(file)) {
            if (!(Json.parse(new String(disk.readAll(file), StandardCharsets.UTF_8)) instanceof Map<?, ?> before)) {
                throw new MusterException(file + " is not a JSON object", "correct the file, or delete it");
            }
            before.forEach((key, value) -> map.put((String) key, value));
        }
        map.put(DiskState.MIN_FREE, bytes);
        try {
            disk.writeDurably(draft, Json.write(map) + "\n");
            disk.rename(draft, file);
        } finally {
            disk.delete(draft);
        }
        disk.syncFolder(file.getParent());
    }

    private void report(String problem) {
        if (!reported.equals(problem)) {
            reported = problem;
            LOG.log(System.Logger.Level.WARNING, "{0} is ignored: {1}", file, problem);
        }
    }
}
