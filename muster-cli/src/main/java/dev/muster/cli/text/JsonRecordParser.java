package dev.muster.cli.text;

import dev.muster.core.Header;
import dev.muster.core.MusterException;
import dev.muster.core.json.Json;
import dev.muster.embedded.Message;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Reads the lines of {@link JsonRecordWriter}. {@code value} is required (null is a tombstone). Key, headers, timestamp
 * and partition may be missing. Topic and offset are those of the origin and are ignored. Any other name is refused,
 * because its value would be lost silently.
 */
public final class JsonRecordParser {
    private static final Set<String> NAMES =
            Set.of("topic", "partition", "offset", "timestamp", "key", "keyBase64", "value", "valueBase64", "headers");
    private static final Set<String> HEADER_NAMES = Set.of("key", "value", "valueBase64");

    private JsonRecordParser() {}

    /** The record of a line. Errors do not name the line: the caller knows its number. */
    public static Message<byte[], byte[]> parse(byte[] buffer, int from, int to) {
        if (!(Json.parse(text(buffer, from, to)) instanceof Map<?, ?> object)) {
            throw new MusterException("a record is an object: {\"value\":\"…\"}");
        }
        onlyKnown(object, NAMES, "a record");
        if (!object.containsKey("value") && !object.containsKey("valueBase64")) {
            throw new MusterException("a record needs \"value\" or \"valueBase64\" (null makes a tombstone)");
        }
        return new Message<>(
                partition(object.get("partition")),
                timestamp(object.get("timestamp")),
                bytes(object, "key"),
                bytes(object, "value"),
                headers(object.get("headers")));
    }

    private static String text(byte[] buffer, int from, int to) {
        try {
            // Not new String(), which puts U+FFFD in place of invalid bytes and loses them.
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(buffer, from, to - from))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new MusterException("not JSON: the line is not UTF-8", null, e);
        }
    }

    private static void onlyKnown(Map<?, ?> object, Set<String> names, String what) {
        for (Object name : object.keySet()) {
            if (!names.contains(name)) {
                throw new MusterException("unknown name \"" + name + "\" in " + what);
            }
        }
    }

    private static Integer partition(Object value) {
        return switch (value) {
            case null -> null;
            case Long number when number >= 0 && number <= Integer.MAX_VALUE -> number.intValue();
            default -> throw new MusterException("\"partition\" must be a whole number, 0 or more");
        };
    }

    private static Instant timestamp(Object value) {
        return switch (value) {
            case null -> null;
            case Long millis -> Instant.ofEpochMilli(millis);
            default -> throw new MusterException("\"timestamp\" must be milliseconds since 1970");
        };
    }

    private static byte[] bytes(Map<?, ?> object, String name) {
        Object text = object.get(name);
        Object base64 = object.get(name + "Base64");
        if (text != null && base64 != null) {
            throw new MusterException("both \"" + name + "\" and \"" + name + "Base64\" are given");
        }
        return switch (base64) {
            case null -> utf8(text, name);
            case String encoded -> decode(encoded, name);
            default -> throw new MusterException("\"" + name + "Base64\" must be a string");
        };
    }

    private static byte[] utf8(Object value, String name) {
        return switch (value) {
            case null -> null;
            case String text -> encode(text, name);
            default -> throw new MusterException("\"" + name + "\" must be a string or null");
        };
    }

    private static byte[] encode(String text, String name) {
        try {
            ByteBuffer bytes = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
            byte[] exact = new byte[bytes.remaining()];
            bytes.get(exact);
            return exact;
        } catch (CharacterCodingException e) {
            throw new MusterException("\"" + name + "\" holds half a surrogate pair, which is not text", null, e);
        }
    }

    private static byte[] decode(String base64, String name) {
        try {
            return Base64.getDecoder().decode(base64);
        } catch (IllegalArgumentException e) {
            throw new MusterException("\"" + name + "Base64\" is not base64", null, e);
        }
    }

    private static List<Header> headers(Object value) {
        return switch (value) {
            case null -> List.of();
            case List<?> list -> {
                List<Header> headers = new ArrayList<>(list.size());
                list.forEach(item -> headers.add(header(item)));
                yield headers;
            }
            default -> throw new MusterException("\"headers\" must be an array");
        };
    }

    private static Header header(Object item) {
        if (!(item instanceof Map<?, ?> object) || !(object.get("key") instanceof String key)) {
            throw new MusterException("a header is {\"key\":\"…\",\"value\":\"…\"}");
        }
        onlyKnown(object, HEADER_NAMES, "a header");
        return new Header(key, bytes(object, "value"));
    }
}
