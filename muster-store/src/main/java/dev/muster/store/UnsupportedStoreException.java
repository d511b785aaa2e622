package dev.muster.store;

import dev.muster.core.MusterException;

/**
 * The store cannot be used at this place: it is a network file system, has an unknown format, or is used by a second
 * machine. Nothing was written.
 */
public final class UnsupportedStoreException extends MusterException {
    public UnsupportedStoreException(String what, String hint) {
        super(what, hint);
    }
}
