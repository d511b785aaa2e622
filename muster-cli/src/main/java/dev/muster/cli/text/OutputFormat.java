package dev.muster.cli.text;

import dev.muster.core.MusterException;
import java.util.Locale;

/** What {@code -o} can be. Not every command knows every format; those that do not say so. */
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

    /** Whether a program reads it, and errors should be objects too. */
    public boolean isJson() {
        return this == JSON || this == JSONL;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
