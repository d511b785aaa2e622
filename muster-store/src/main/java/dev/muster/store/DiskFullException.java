package dev.muster.store;

import dev.muster.core.MusterException;

/** There is no room on the disk for the write. The write was not acknowledged, and earlier records are not lost. */
public final class DiskFullException extends MusterException {
    public DiskFullException(String file, Throwable cause) {
        super("no room on the disk for " + file, "free some space and try again: nothing acknowledged was lost", cause);
    }

    /** The store refuses records while the disk still has room for everything else. */
    public DiskFullException(DiskState state) {
        super(
                "no room for more records: the disk has " + kibibytes(state.freeBytes()) + " KiB free, "
                        + kibibytes(state.minFreeBytes()) + " KiB are kept for commits and trims (" + DiskState.MIN_FREE
                        + ")",
                "trim or delete topics (both work on a full disk) or free space otherwise; sending can then continue");
    }

    @Override
    public boolean retryable() {
        return true;
    }

    private static long kibibytes(long bytes) {
        return bytes >> 10;
    }
}
