package dev.muster.core.group.model;

import dev.muster.core.InvalidNameException;
import java.nio.charset.StandardCharsets;

/**
 * The name of a consumer group: 1 to 249 bytes of UTF-8 without control characters. Kafka allows all other characters,
 * so a name must be escaped before it is used in a path.
 */
public record GroupName(String value) implements Comparable<GroupName> {
    public static final int BYTES_MAX = 249;

    public GroupName {
        String problem = problem(value);
        if (problem != null) {
            throw new InvalidNameException(
                    "group", value, problem, "use 1 to 249 bytes of anything but control characters");
        }
    }

    private static String problem(String name) {
        if (name == null || name.isEmpty()) {
            return "it is empty";
        }
        int bytes = name.getBytes(StandardCharsets.UTF_8).length;
        if (bytes > BYTES_MAX) {
            return "it has " + bytes + " bytes, at most " + BYTES_MAX + " are allowed";
        }
        if (name.chars().anyMatch(Character::isISOControl)) {
            return "it has a control character";
        }
        return null;
    }

    @Override
    public int compareTo(GroupName other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }
}
