package dev.muster.bench.peer;

import java.util.Locale;

/** What it means that an append has returned. */
public enum Mode {
    /** Nothing yet: the sink may collect records, and has written all of them when it is closed. */
    STREAM,
    /** The record is in the operating system's hands: it survives the death of this process. */
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
