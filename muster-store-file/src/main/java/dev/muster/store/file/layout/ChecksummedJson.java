package dev.muster.store.file.layout;

import dev.muster.core.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.CRC32C;

/**
 * A JSON object on one line whose last member, {@code crc}, is the CRC-32C of the object without it, as 8 hex digits.
 * Spaces between members are not covered. An object without {@code crc} is accepted: earlier versions wrote none.
 */
public final class ChecksummedJson {
    private static final String CRC = "crc";

    private ChecksummedJson() {}

    /** The object on a line of its own. */
    public static String write(Map<String, Object> members) {
        Map<String, Object> map = new LinkedHashMap<>(members);
        map.put(CRC, crc(members));
        return Json.write(map) + "\n";
    }

    /**
     * The members without {@code crc}.
     *
     * @throws dev.muster.core.json.JsonException if the text is not JSON
     * @throws IllegalArgumentException if the checksum is not that of the members
     * @throws ClassCastException if the text is JSON and not an object
     */
    public static Map<String, Object> parse(byte[] content) {
        Map<String, Object> map = new LinkedHashMap<>();
        ((Map<?, ?>) Json.parse(new String(content, StandardCharsets.UTF_8)))
                .forEach((name, value) -> map.put((String) name, value));
        Object crc = map.remove(CRC);
        if (crc != null && !crc.equals(crc(map))) {
            throw new IllegalArgumentException("the checksum is " + crc + ", that of the content is " + crc(map));
        }
        return map;
    }

    /**
     * The members, as {@link #parse} returns them. {@code crc} must be there: for files that no earlier version wrote
     * without it.
     */
    public static Map<String, Object> parseStrictly(byte[] content) {
        Map<String, Object> members = parse(content);
        if (members.size() == ((Map<?, ?>) Json.parse(new String(content, StandardCharsets.UTF_8))).size()) {
            throw new IllegalArgumentException("the checksum is missing");
        }
        return members;
    }

    private static String crc(Map<String, Object> members) {
        CRC32C crc = new CRC32C();
        crc.update(Json.write(members).getBytes(StandardCharsets.UTF_8));
        return "%08x".formatted(crc.getValue());
    }
}
