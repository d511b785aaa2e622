package dev.muster.core.json;

import dev.muster.core.MusterException;

/** A text that should be JSON is not. */
public final class JsonException extends MusterException {
    private final int position;

    JsonException(String text, int position, String problem) {
        super("not JSON: line " + line(text, position) + ", column " + column(text, position) + ": " + problem);
        this.position = position;
    }

    /** The place of the problem, in characters from 0. */
    public int position() {
        return position;
    }

    private static long line(String text, int position) {
        return 1 + text.substring(0, position).chars().filter(c -> c == '\n').count();
    }

    private static int column(String text, int position) {
        return position - text.lastIndexOf('\n', position - 1);
    }
}
