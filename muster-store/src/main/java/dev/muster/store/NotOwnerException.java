package dev.muster.store;

import dev.muster.core.MusterException;

/** Another process holds the lease to append to this partition. */
public final class NotOwnerException extends MusterException {
    public NotOwnerException(String partition, String owner) {
        super("partition " + partition + " is written by " + owner);
    }
}
