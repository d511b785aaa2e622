package dev.muster.embedded;

import dev.muster.core.MusterException;

/** A commit came from a member that does not own the partition any more. Nothing of it was taken. */
public final class CommitRefusedException extends MusterException {
    public CommitRefusedException(String message) {
        super(message, "process records idempotently: their new owner delivers them again; poll goes on");
    }
}
