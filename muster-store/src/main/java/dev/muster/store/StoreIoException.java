package dev.muster.store;

import dev.muster.core.MusterException;

/** A file operation failed in a way that has no better name. The message says which, and where. */
public final class StoreIoException extends MusterException {
    public StoreIoException(String what, Throwable cause) {
        super(what, null, cause);
    }
}
