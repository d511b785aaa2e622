package dev.muster.store;

import dev.muster.core.MusterException;

/**
 * The disk refused to make a file durable. What was written since the last sync may be lost and is not acknowledged.
 */
public final class SyncFailedException extends MusterException {
    public SyncFailedException(String file, Throwable cause) {
        super(
                "the disk failed to sync " + file + "; records not yet acknowledged were given up",
                "check the disk (dmesg, SMART); appends go on in a new segment",
                cause);
    }
}
