package dev.muster.store;

import dev.muster.core.MusterException;

/** There is no room for the write. Nothing was acknowledged, nothing that was there is lost. */
public final class DiskFullException extends MusterException {
    public DiskFullException(String file, Throwable cause) {
        super("no room on the disk for " + file, "free some space and try again: nothing acknowledged was lost", cause);
    }
}
