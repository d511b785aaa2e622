package dev.muster.store;

import dev.muster.core.MusterException;

/** There is no store at that place. Nothing was made. */
public final class StoreNotFoundException extends MusterException {
    public StoreNotFoundException(String where) {
        super("there is no Muster data directory at " + where, "check the path; producing a record makes a new one");
    }
}
