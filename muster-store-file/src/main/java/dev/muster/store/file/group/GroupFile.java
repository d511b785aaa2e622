package dev.muster.store.file.group;

import dev.muster.core.InvalidNameException;
import dev.muster.core.group.model.GroupName;
import dev.muster.core.json.JsonException;
import dev.muster.store.StoreIoException;
import dev.muster.store.file.layout.ChecksummedJson;
import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

/**
 * {@code group.json}: the group of a folder.
 *
 * @param id the id of this group; a later group of the same name has another id
 */
record GroupFile(GroupName name, UUID id, Instant createdAt) {
    static final String FILE = "group.json";
    static final String JOURNAL = "journal-";

    /** The name of the journal's folder in the group's folder. */
    String journal() {
        return JOURNAL + id;
    }

    String toJson() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("format", 1L);
        map.put("name", name.value());
        map.put("id", id.toString());
        map.put("createdAt", createdAt.toString());
        return ChecksummedJson.write(map);
    }

    static GroupFile parse(Path file, byte[] content) {
        try {
            Map<String, Object> map = ChecksummedJson.parse(content);
            long format = (Long) map.get("format");
            if (format != 1) {
                throw new StoreIoException(
                        file + " has format " + format + ", this version of Muster reads format 1", null);
            }
            return new GroupFile(
                    new GroupName((String) map.get("name")),
                    UUID.fromString((String) map.get("id")),
                    Instant.parse((String) map.get("createdAt")));
        } catch (ClassCastException
                | NullPointerException
                | IllegalArgumentException
                | DateTimeParseException
                | JsonException
                | InvalidNameException e) {
            throw new StoreIoException(
                    file + " cannot be understood: " + e.getMessage() + "; restore it from a copy", e);
        }
    }
}
