package dev.muster.store;

import dev.muster.core.MusterException;

/**
 * A file of the log was removed, renamed away or replaced while this process wrote to it or read from it. Records that
 * were not acknowledged are not in the log. This {@link PartitionLog} cannot be used any more. {@link LogStore#log}
 * opens the log that is in the directory now.
 */
public final class LogReplacedException extends MusterException {
    public LogReplacedException(String what) {
        super(
                what + " while it was in use; records that were not acknowledged are lost",
                "find out why the file changed, and send those records again");
    }
}
