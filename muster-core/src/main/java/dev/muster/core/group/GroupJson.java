package dev.muster.core.group;

/**
 * Entries and snapshots as JSON on one line, as they stand in a journal. Versioned: a reader refuses what it does not
 * know instead of guessing.
 */
public final class GroupJson {
    private GroupJson() {}

    public static String entry(Entry entry) {
        throw new UnsupportedOperationException("to be written");
    }

    /** The whole state, from which {@link #replay} makes an equal group. */
    public static String snapshot(Group group, long at, HostId by) {
        throw new UnsupportedOperationException("to be written");
    }

    /** Whether this line is a snapshot: reading may begin there. */
    public static boolean isSnapshot(String line) {
        throw new UnsupportedOperationException("to be written");
    }

    /** The state after this line: a snapshot replaces it, an entry is applied. */
    public static Group replay(Group before, String line) {
        throw new UnsupportedOperationException("to be written");
    }
}
