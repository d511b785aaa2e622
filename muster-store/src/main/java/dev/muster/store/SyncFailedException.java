package dev.muster.store;

import dev.muster.core.MusterException;

/** The disk failed to make a file durable. Records written since the last sync may be lost and are not acknowledged. */
public final class SyncFailedException extends MusterException {
    public SyncFailedException(String file, Throwable cause) {
        super(
                "the disk failed to sync " + file + "; records not yet acknowledged were given up",
                "check the disk (dmesg, SMART); appends continue in a new segment",
                cause);
    }
}
