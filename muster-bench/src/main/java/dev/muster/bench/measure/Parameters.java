package dev.muster.bench.measure;

import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Names and values that the parent and a turn exchange, as words of the form {@code name=value}. */
public record Parameters(Map<String, String> values) {
    public static final Parameters NONE = new Parameters(Map.of());

    public static Parameters parse(List<String> words) {
        Map<String, String> values = new LinkedHashMap<>();
        for (String word : words) {
            int equals = word.indexOf('=');
            if (equals < 1) {
                throw new IllegalArgumentException("not of the form name=value: " + word);
            }
            values.put(word.substring(0, equals), word.substring(equals + 1));
        }
        return new Parameters(values);
    }

    public static Parameters of(String name, Object value) {
        return NONE.with(name, value);
    }

    /** These parameters and one more. */
    public Parameters with(String name, Object value) {
        Map<String, String> all = new LinkedHashMap<>(values);
        all.put(name, value.toString());
        return new Parameters(all);
    }

    public List<String> words() {
        return values.entrySet().stream()
                .map(e -> e.getKey() + "=" + e.getValue())
                .toList();
    }

    public String text(String name) {
        String value = values.get(name);
        if (value == null) {
            throw new IllegalArgumentException("no value for " + name + " in " + values);
        }
        return value;
    }

    public int integer(String name) {
        return Integer.parseInt(text(name));
    }

    public long whole(String name) {
        return Long.parseLong(text(name));
    }

    public double number(String name) {
        return Double.parseDouble(text(name));
    }

    public Duration millis(String name) {
        return Duration.ofMillis(whole(name));
    }

    public Path path(String name) {
        return Path.of(text(name));
    }
}
