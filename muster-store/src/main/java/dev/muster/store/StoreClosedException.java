package dev.muster.store;

import dev.muster.core.MusterException;

/** The store was closed by this process. */
public final class StoreClosedException extends MusterException {
    public StoreClosedException(String what) {
        super(what + " is closed");
    }
}
