package dev.muster.core;

/**
 * The name of a topic, by Kafka's rule: 1 to 249 of {@code a-z A-Z 0-9 . _ -}, and neither {@code .} nor {@code ..}. So
 * every value of this type is a valid file name, and no path with it leads out of its folder.
 */
public record TopicName(String value) implements Comparable<TopicName> {
    public static final int LENGTH_MAX = 249;

    public TopicName {
        String problem = problem(value);
        if (problem != null) {
            throw new InvalidNameException("topic", value, problem, "use 1 to 249 of a-z A-Z 0-9 . _ -");
        }
    }

    private static String problem(String name) {
        if (name == null || name.isEmpty()) {
            return "it is empty";
        }
        if (name.length() > LENGTH_MAX) {
            return "it has " + name.length() + " characters, at most " + LENGTH_MAX + " are allowed";
        }
        if (name.equals(".") || name.equals("..")) {
            return "it is reserved";
        }
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            boolean allowed = c >= 'a' && c <= 'z'
                    || c >= 'A' && c <= 'Z'
                    || c >= '0' && c <= '9'
                    || c == '.'
                    || c == '_'
                    || c == '-';
            if (!allowed) {
                return "character " + (i + 1) + " is not one of a-z A-Z 0-9 . _ -";
            }
        }
        return null;
    }

    @Override
    public int compareTo(TopicName other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }
}
