package dev.muster.store;

import dev.muster.core.MusterException;

/** The place cannot hold a store: a network file system, an unknown format, a second machine. Nothing was written. */
public final class UnsupportedStoreException extends MusterException {
    public UnsupportedStoreException(String what, String hint) {
        super(what, hint);
    }
}
