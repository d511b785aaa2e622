package dev.muster.core;

import java.util.Locale;

/** The meaning of "acknowledged" for the records of a topic. */
public enum SyncLevel {
    /** Acknowledged and visible after fsync: survives power loss. */
    COMMIT,
    /** Acknowledged and visible after the write; synced in the background every {@code flush.ms}. */
    INTERVAL,
    /**
     * Acknowledged and visible after the write: survives the death of any process. The kernel chooses the time of the
     * sync.
     */
    OS;

    public static SyncLevel parse(String text) {
        try {
            return valueOf(text.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw new MusterException("unknown sync level \"" + text + "\"", "use commit, interval or os", e);
        }
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
