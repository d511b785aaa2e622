package dev.muster.store;

/**
 * The room that a store has on its disk, and what follows from it.
 *
 * @param freeBytes the room that records, journals and pages may take, in bytes
 * @param totalBytes the size of the file system
 * @param minFreeBytes the room kept for commits, trims and deletes ({@code muster.disk.min.free}); 0 if none is kept
 */
public record DiskState(Level level, long freeBytes, long totalBytes, long minFreeBytes) {
    /** The name of the setting for the room that is kept. */
    public static final String MIN_FREE = "muster.disk.min.free";

    /** The level of the free room. It decides what the store accepts. */
    public enum Level {
        /** There is room. */
        OK,
        /** Records are still accepted, and will be refused soon. */
        LOW,
        /** New records are refused. Reads, commits, trims and deletes work. */
        FULL
    }
}
