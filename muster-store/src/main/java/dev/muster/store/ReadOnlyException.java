package dev.muster.store;

import dev.muster.core.MusterException;

/** The store was opened without the right to write. */
public final class ReadOnlyException extends MusterException {
    public ReadOnlyException(String what) {
        super(
                "cannot " + what + ": the directory is read-only",
                "run as a user who may write there, and without --read-only");
    }
}
