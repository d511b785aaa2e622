package dev.muster.bench.peer;

import java.util.Locale;

/** The meaning of a returned append. */
public enum Mode {
    /** No promise: the sink may collect records, and has written all of them when it is closed. */
    STREAM,
    /** The operating system has the record, so it survives the death of this process. */
    EACH,
    /** The record survives power loss. */
    DURABLE;

    public static Mode parse(String text) {
        return valueOf(text.toUpperCase(Locale.ROOT));
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
