package dev.muster.disk;

/**
 * The room on a file system.
 *
 * @param freeBytes bytes that a process without privileges can still write; the same number for all processes
 * @param totalBytes size of the file system
 */
public record DiskSpace(long freeBytes, long totalBytes) {
    /** The file system does not tell, or has no limit. */
    public static final DiskSpace UNKNOWN = new DiskSpace(Long.MAX_VALUE, Long.MAX_VALUE);

    public boolean isKnown() {
        return totalBytes != Long.MAX_VALUE;
    }
}
