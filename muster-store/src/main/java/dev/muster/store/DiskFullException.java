package dev.muster.store;

import dev.muster.core.MusterException;

/** There is no room for the write. Nothing was acknowledged, nothing that was there is lost. */
public final class DiskFullException extends MusterException {
    public DiskFullException(String file, Throwable cause) {
        super("no room on the disk for " + file, "free some space and try again: nothing acknowledged was lost", cause);
    }

    /** The store refuses records before the disk has no room for anything else. */
    public DiskFullException(DiskState state) {
        super(
                "no room for more records: the disk has " + kibibytes(state.freeBytes()) + " KiB free, "
                        + kibibytes(state.minFreeBytes()) + " KiB are kept for commits and trims (" + DiskState.MIN_FREE
                        + ")",
                "trim or delete topics (both work on a full disk) or free space otherwise; sending can then go on");
    }

    private static long kibibytes(long bytes) {
        return bytes >> 10;
    }
}
