package dev.muster.store;

/**
 * How much room a store has on its disk, and what follows from it.
 *
 * @param freeBytes room that records, journals and pages may take
 * @param totalBytes size of the file system
 * @param minFreeBytes room kept for commits, trims and deletes ({@code muster.disk.min.free}); 0 when none is kept
 */
public record DiskState(Level level, long freeBytes, long totalBytes, long minFreeBytes) {
    /** The name of the setting that says how much room is kept. */
    public static final String MIN_FREE = "muster.disk.min.free";

    /** What the store does about the room there is. */
    public enum Level {
        /** There is room. */
        OK,
        /** Records are accepted; soon they will not be. */
        LOW,
        /** New records are refused. Reads, commits, trims and deletes work. */
        FULL
    }
}
