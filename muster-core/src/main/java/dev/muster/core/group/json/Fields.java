package dev.muster.core.group.json;

import dev.muster.core.MusterException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;

/**
 * Reads the fields of a JSON object. A field that is missing, unknown, or of the wrong type is refused by name, and
 * never guessed at: the journal may have been edited, or written by another program.
 */
final class Fields {
    private static final Map<Class<?>, String> KINDS = Map.of(
            String.class,
            "a string",
            Long.class,
            "a whole number",
            Boolean.class,
            "true or false",
            List.class,
            "a list");

    private final String what;
    private final Map<String, Object> values;
    private final Set<String> read = new HashSet<>();

    @SuppressWarnings("unchecked") // JsonReader makes no other maps
    Fields(String what, Object value) {
        if (!(value instanceof Map<?, ?> map)) {
            throw bad(what + " is not an object");
        }
        this.what = what;
        this.values = (Map<String, Object>) map;
    }

    static MusterException bad(String problem) {
        return bad(problem, null);
    }

    static MusterException bad(String problem, Throwable cause) {
        return new BadLineException(problem, cause);
    }

    private <T> T get(String name, Class<T> type) {
        read.add(name);
        Object value = values.get(name);
        if (!type.isInstance(value)) {
            throw bad(what + ": \"" + name + "\" is " + (value == null ? "missing" : "not " + KINDS.get(type)));
        }
        return type.cast(value);
    }

    boolean has(String name) {
        return values.containsKey(name);
    }

    String string(String name) {
        return get(name, String.class);
    }

    Optional<String> optional(String name) {
        return has(name) ? Optional.of(string(name)) : Optional.empty();
    }

    long number(String name) {
        return get(name, Long.class);
    }

    /** True if the field is there and true. */
    boolean flag(String name) {
        return has(name) && get(name, Boolean.class);
    }

    Object any(String name) {
        return get(name, Object.class);
    }

    Fields object(String name) {
        return new Fields(what + "." + name, any(name));
    }

    List<?> list(String name) {
        return has(name) ? get(name, List.class) : List.of();
    }

    /** Reads an object whose names are data: passes all of its fields, in the order of the text, to the action. */
    void each(BiConsumer<String, Object> action) {
        read.addAll(values.keySet());
        values.forEach(action);
    }

    /** Checks that all fields were read. */
    void done() {
        for (String name : values.keySet()) {
            if (!read.contains(name)) {
                throw bad(what + ": \"" + name + "\" is unknown");
            }
        }
    }
}
