package dev.muster.store.file.topic;

import dev.muster.core.MusterException;
import dev.muster.core.Topic;
import dev.muster.core.TopicId;
import dev.muster.core.TopicName;
import dev.muster.core.TopicSettings;
import dev.muster.store.StoreIoException;
import dev.muster.store.file.layout.ChecksummedJson;
import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * {@code topic.json}: a topic as text that a person can read. The file is at {@code topics/<name>}, and a copy is
 * beside the records.
 */
public final class TopicFile {
    private TopicFile() {}

    public static String toJson(Topic topic) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("format", 1L);
        map.put("name", topic.name().value());
        map.put("id", topic.id().toString());
        map.put("partitions", (long) topic.partitions());
        map.put("createdAt", topic.createdAt().toString());
        map.put("settings", new LinkedHashMap<String, Object>(topic.settings().toMap()));
        return ChecksummedJson.write(map);
    }

    static Topic parse(Path file, byte[] content) {
        try {
            Map<String, Object> map = ChecksummedJson.parse(content);
            Map<String, String> settings = new LinkedHashMap<>();
            ((Map<?, ?>) map.get("settings")).forEach((key, value) -> settings.put((String) key, (String) value));
            return new Topic(
                    new TopicName((String) map.get("name")),
                    TopicId.parse((String) map.get("id")),
                    Math.toIntExact((Long) map.get("partitions")),
                    TopicSettings.fromMap(settings),
                    Instant.parse((String) map.get("createdAt")));
        } catch (ClassCastException
                | NullPointerException
                | IllegalArgumentException
                | ArithmeticException
                | DateTimeParseException
                | MusterException e) {
            throw new StoreIoException(
                    file + " cannot be understood: " + e.getMessage() + "; restore it from a copy", e);
        }
    }
}
