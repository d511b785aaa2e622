package dev.muster.cli.text;

import dev.muster.core.MusterException;
import java.util.Locale;

/** The formats of {@code -o}. Each command refuses those that it does not have. */
public enum OutputFormat {
    TABLE,
    WIDE,
    JSON,
    JSONL,
    CSV,
    NAME;

    public static OutputFormat parse(String text) {
        try {
            return valueOf(text.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw new MusterException(
                    "unknown output format \"" + text + "\"", "use table, wide, json, jsonl, csv or name", e);
        }
    }

    /** True if the output is for programs, and errors should be objects too. */
    public boolean isJson() {
        return this == JSON || this == JSONL;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
