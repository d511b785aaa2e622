package dev.muster.disk;

/**
 * The room on a file system.
 *
 * @param freeBytes the number of bytes that a process without privileges can still write; the same for all processes
 * @param totalBytes the size of the file system
 */
public record DiskSpace(long freeBytes, long totalBytes) {
    /** The room on a file system that does not report it, or has no limit. */
    public static final DiskSpace UNKNOWN = new DiskSpace(Long.MAX_VALUE, Long.MAX_VALUE);

    public boolean isKnown() {
        return totalBytes != Long.MAX_VALUE;
    }
}
