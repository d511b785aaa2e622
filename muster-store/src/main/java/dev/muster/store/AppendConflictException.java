package dev.muster.store;

import dev.muster.core.MusterException;

/**
 * The offset of a conditional append is not the end of the log. Nothing was written. The caller reads the records that
 * it does not know and decides anew.
 */
public final class AppendConflictException extends MusterException {
    private final long offset;

    public AppendConflictException(String partition, long offset) {
        super("offset " + offset + " is not the end of " + partition + ": another process appended to it");
        this.offset = offset;
    }

    /** The offset that the append asked for. */
    public long offset() {
        return offset;
    }
}
